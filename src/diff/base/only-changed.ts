import type { Configuration, Prune } from '../../desired/configuration.ts';
import {
  coupledPaths,
  destroyDuration,
  isRepositoryPath,
  listPaths,
  sharingSwitches,
} from '../../model/attributes.ts';
import { projectExecutionPaths } from '../../model/project-attributes.ts';
import type {
  ConsumerRef,
  GrantResource,
  ListRule,
  ProjectResource,
  Resource,
  WorkspaceResource,
} from '../../model/state.ts';
import { asBindingRule, type BindingRule, type TagBindings } from '../../model/tag-bindings.ts';
import type { Value, Values } from '../../model/value.ts';
import { namedEntries } from '../list-rule.ts';
import {
  asRule,
  asserted,
  type DeclaredByBase,
  declaredByBase,
  listEntryKey,
  sameDeclaration,
} from './declared-by-base.ts';

/**
 * For `--only-changed`: the configuration without what its base declares alike, which is unmanaged in this run. Coupled
 * values stay together. Of a list, only the entries that differ stay.
 */
export function onlyChanged(configuration: Configuration): Configuration {
  const { base, desired, prune } = configuration;
  if (base?.declared === undefined || !base.onlyChanged) return configuration;
  const before = declaredByBase(base);
  const resources = [...desired.resources].map(
    ([address, resource]) => [address, changedPart(resource, before.counterpart(resource))] as const,
  );
  return {
    ...configuration,
    desired: { ...desired, resources: new Map(resources) },
    prune: changedPrune(prune, before),
  };
}

function changedPrune(prune: Prune, before: DeclaredByBase): Prune {
  return { ...prune, among: (live, dialect) => !before.prunes(live, dialect) };
}

function changedPart(resource: Resource, base: Resource | undefined): Resource {
  if (base === undefined || resource.declared?.absent !== base.declared?.absent) return resource;
  const declaredBefore = resource.address === base.address ? 'same-name' : 'other-name';
  switch (resource.kind) {
    case 'workspace':
      return { ...changedWorkspace(resource, base.attributes), declaredBefore };
    case 'project':
      return { ...changedProject(resource, base.attributes), declaredBefore };
    case 'team-access':
      return { ...changedGrant(resource, base.attributes), declaredBefore };
    default:
      return resource satisfies never;
  }
}

const consumers = 'remote-state-consumers';
const sharingPaths: readonly string[] = [...sharingSwitches, consumers];

function changedWorkspace(resource: WorkspaceResource, base: Values): WorkspaceResource {
  const { attributes } = resource;
  const changed = changedPaths(attributes, base);
  const coupled = new Set<string>([
    ...changed,
    ...coupledPaths(changed).filter((path) => !listPaths.has(path) || isEmptyList(attributes[path])),
    // The service refuses both switches, and a list beside one of them.
    ...(sharingPaths.some((path) => changed.includes(path)) ? sharingPaths : []),
    ...(changed.includes('vcs-repo.identifier') ? Object.keys(attributes).filter(isRepositoryPath) : []),
  ]);
  const kept: Record<string, Value> = {};
  for (const [path, value] of Object.entries(attributes)) {
    if (!coupled.has(path)) continue;
    if (path === 'tag-bindings') kept[path] = changedBindings(value, base[path]);
    else if (listPaths.has(path) && path !== consumers && !isEmptyList(value))
      kept[path] = changedList(value, base[path]);
    else kept[path] = value;
  }
  // The workspace can have inherited the same so far, from a project that now changes or that it leaves.
  const keepsDuration = typeof attributes[destroyDuration] === 'string' && !coupled.has(destroyDuration);
  if (keepsDuration) kept[destroyDuration] = attributes[destroyDuration];
  const list = attributes[consumers] as ListRule<ConsumerRef> | undefined;
  const listBefore = base[consumers] as ListRule<ConsumerRef> | undefined;
  // Equal selectors can select other workspaces than before.
  const isCompared = list && listBefore && (coupled.has(consumers) || hasSelectors(list));
  return {
    ...resource,
    attributes: { ...kept, ...(isCompared && { [consumers]: list }) },
    ...(isCompared && { consumersBefore: listBefore }),
    ...(Object.keys(base).some(isRepositoryPath) && { repositoryBefore: true }),
    ...(keepsDuration && { durationBefore: true }),
  };
}

function changedProject(resource: ProjectResource, base: Values): ProjectResource {
  const { attributes } = resource;
  const changed = new Set(changedPaths(attributes, base));
  if (projectExecutionPaths.some((path) => changed.has(path)))
    for (const path of projectExecutionPaths) changed.add(path);
  const kept: Record<string, Value> = {};
  for (const [path, value] of Object.entries(attributes))
    if (changed.has(path)) kept[path] = changedBindings(value, base[path]);
  return { ...resource, attributes: kept };
}

/** A level and its permissions are one value: without a level, a grant is unmanaged. */
function changedGrant(resource: GrantResource, base: Values): GrantResource {
  const { attributes } = resource;
  const { project, team } = attributes;
  const isSame = Object.keys({ ...base, ...attributes }).every((path) =>
    sameDeclaration(path, attributes[path], base[path]),
  );
  return isSame ? { ...resource, attributes: { project, team } } : resource;
}

function changedPaths(attributes: Values, base: Values): string[] {
  return Object.keys(attributes).filter((path) => !sameDeclaration(path, attributes[path], base[path]));
}

/** Whether a list turns triggers off, which exclude those of other lists. */
function isEmptyList(declared: Value | undefined): boolean {
  return Array.isArray(declared) && declared.length === 0;
}

/** Whether an entry of a list of consumers is a selector. */
export function hasSelectors(rule: ListRule<ConsumerRef>): boolean {
  return namedEntries(rule).some((ref) => typeof ref !== 'string');
}

/** The entries that a list adds and removes, compared with that of the base. */
function changedList(declared: Value, base: Value | undefined): Value {
  if (base === undefined) return declared;
  return changedEntries(asRule(declared), asRule(base)) as unknown as Value;
}

/** A rule that makes the difference between two others. An exact list that was none before is kept as a whole. */
export function changedEntries<Item extends Value>(
  rule: ListRule<Item>,
  before: ListRule<Item>,
): ListRule<Item> {
  const had = new Set(asserted(before).map(listEntryKey));
  const added = (asserted(rule) as readonly Item[]).filter((item) => !had.has(listEntryKey(item)));
  if ('add' in rule) {
    const removed = new Set('add' in before ? before.remove.map(listEntryKey) : []);
    return { add: added, remove: rule.remove.filter((item) => !removed.has(listEntryKey(item))) };
  }
  if ('add' in before) return rule;
  const has = new Set(asserted(rule).map(listEntryKey));
  const gone = (asserted(before) as readonly Item[]).filter((item) => !has.has(listEntryKey(item)));
  return { add: added, remove: gone };
}

/** Values other than key/value tags are kept. */
function changedBindings(declared: Value, base: Value | undefined): Value {
  const [rule, before] = [asBindingRule(declared), asBindingRule(base)];
  if (rule === undefined || before === undefined) return declared;
  const had = 'exactly' in before ? before.exactly : before.add;
  const other = (bindings: TagBindings) =>
    Object.fromEntries(
      Object.entries(bindings).filter(([key, value]) => !Object.hasOwn(had, key) || had[key] !== value),
    );
  if ('add' in rule) {
    const removed = new Set('add' in before ? before.remove : []);
    return rules({ add: other(rule.add), remove: rule.remove.filter((key) => !removed.has(key)) });
  }
  if ('add' in before) return declared;
  const gone = Object.keys(before.exactly).filter((key) => !Object.hasOwn(rule.exactly, key));
  return rules({ add: other(rule.exactly), remove: gone });
}

function rules(rule: BindingRule): Value {
  return rule as unknown as Value;
}
