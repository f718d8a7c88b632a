/*
 * The files of a run beside the same files elsewhere, its base.
 *
 * Each resource of the files has at most one counterpart in the base, by its address, its former name or its ids. A difference
 * is drift if both declare alike all that it follows from; else this change of the files is its cause. What the base declares,
 * and the files do not, stays on the service, and is listed as no longer declared.
 */

import type { Live } from '../live/read-live.ts';
import {
  destroyDuration,
  inheritedDestroyDuration,
  listPaths,
  sharingSwitchOf,
} from '../model/attributes.ts';
import { type Cause, type Change, type FieldChange, fieldsTogether } from '../model/change.ts';
import type { Base, BaseDeclarations, Configuration } from '../model/configuration.ts';
import { about } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindingRule, asListRule, type ListRule, namedEntries } from '../model/list-rule.ts';
import type { NoLongerDeclared, Plan } from '../model/plan.ts';
import { matchesSelector, type Selector } from '../model/selector.ts';
import {
  type ConsumerRef,
  findAmong,
  identity,
  placeholderOf,
  type Resource,
  resourcesOf,
  type State,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { canonicalJson, compareTexts, sameValue, sortedSet, type Value } from '../model/value.ts';
import { separateRelations } from '../relations/relations.ts';
import { nameOfConsumer } from '../resolve/labels.ts';
import { located } from './comparison.ts';
import { sameAttribute } from './fields.ts';
import { prunes } from './ownership.ts';
import { isInherited } from './settings-in-effect.ts';
import { workspaceTarget } from './workspace-target.ts';

type Declared = Pick<Configuration, 'desired' | 'base'>;

export function declaredByBase(declared: BaseDeclarations) {
  const { desired, roots = [declared] } = declared;
  const counterpart = finderIn(desired.resources.values());
  return {
    counterpart,
    prunes: (live: Resource, dialect: Dialect) =>
      counterpart(live) === undefined && roots.some((base) => prunes(base, live, dialect)),
  };
}

function finderIn(resources: Iterable<Resource>): (resource: Resource) => Resource | undefined {
  const find = findAmong(resources);
  return (resource) => {
    const found = find(identity(resource));
    const { renamedFrom } = resource.declared ?? {};
    // Both had this name, and one of them can have been renamed already.
    const isAlikeBefore = renamedFrom !== undefined && renamedFrom === found?.declared?.renamedFrom;
    return isAlikeBefore && !isCalledAlike(found, resource) ? undefined : found;
  };
}

/** The name of a project is that on the service, whatever its alias is. */
function isCalledAlike(a: Resource, b: Resource): boolean {
  const isProject = a.kind === 'project' && b.kind === 'project';
  return isProject ? a.attributes.name === b.attributes.name : a.name === b.name;
}

/** `none` instead of an end that has passed is declared otherwise: it is not due any more. */
export function sameAbsence({ declared: a }: Resource, { declared: b }: Resource): boolean {
  return a?.absent === b?.absent && (a?.absent === undefined || !a.until === !b?.until);
}

export function sameDeclaration(path: string, a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (listPaths.has(path)) return sameValue(comparableList(a), comparableList(b));
  if (path === 'tag-bindings') return sameValue(comparableBindings(a), comparableBindings(b));
  return sameAttribute(path, a, b);
}

function comparableList(declared: Value): Value {
  const rule = asRule(declared);
  const entries = sortedSet(asserted(rule).map(canonicalJson));
  if ('add' in rule) return { add: entries, remove: sortedSet(rule.remove.map(canonicalJson)) };
  // A selector can select an entry that is left out.
  const isPlain = rule.exactly.every((item) => typeof item === 'string');
  return { exactly: entries, except: isPlain ? [] : sortedSet((rule.except ?? []).map(canonicalJson)) };
}

function comparableBindings(declared: Value): Value {
  const rule = asBindingRule(declared);
  if (rule === undefined || 'exactly' in rule) return declared;
  return { add: rule.add, remove: sortedSet(rule.remove) };
}

function asRule(declared: Value): ListRule<Value> {
  return Array.isArray(declared) ? { exactly: declared } : (declared as unknown as ListRule<Value>);
}

function asserted(rule: ListRule<Value>): readonly Value[] {
  if ('add' in rule) return rule.add;
  const without = new Set((rule.except ?? []).map(canonicalJson));
  return rule.exactly.filter((item) => !without.has(canonicalJson(item)));
}

export function withCauses<Difference extends { readonly changes: readonly Change[] }>(
  difference: Difference,
  { desired, base }: Declared,
  live: Live,
): Difference {
  if (base === undefined) return difference;
  const { declared, onlyChanged } = base;
  const causeOf = declared ? causesIn(desired, { ...declared, onlyChanged }, live) : (): Cause => 'unknown';
  const changes = difference.changes.map((change) => ({
    ...change,
    cause: change.action === 'update' ? undefined : causeOf(change),
    fields: change.fields.map((field) => ({ ...field, cause: causeOf(change, field) })),
  }));
  return { ...difference, changes };
}

/** The cause of a field, or of a creation or a deletion without one. */
function causesIn(
  desired: State,
  base: BaseDeclarations & Pick<Base, 'onlyChanged'>,
  live: Live,
): (change: Change, field?: FieldChange) => Cause {
  const before = declaredByBase(base);
  const isLive = finderIn(live.state.resources.values());
  const projects = resourcesOf(desired.resources.values(), 'project');
  const causeIf = (isSame: boolean): Cause => (isSame ? 'drift' : 'change');
  const isAlike = (resource: Resource | undefined, paths: readonly string[]) => {
    const was = resource && before.counterpart(resource);
    return paths.every((path) => sameDeclaration(path, resource?.attributes[path], was?.attributes[path]));
  };
  const isSameResource = (resource: Resource) => {
    const was = before.counterpart(resource);
    if (was === undefined || !sameAbsence(was, resource)) return false;
    // A project can be called otherwise under the same alias, and then is another one.
    const isRenamed = resource.declared?.renamedFrom !== undefined;
    return resource.kind !== 'project' || isRenamed || isCalledAlike(was, resource);
  };
  const projectOf = ({ attributes }: Resource) =>
    projects.find(({ id, address }) => [id, placeholderOf(address)].includes(String(attributes.project)));
  // Whether both declarations of a workspace are selected alike. An undeclared one is deleted, or the base declares it.
  const isSelectedAlike = (name: string, selectors: readonly Selector[]) => {
    const address = workspaceAddress(name);
    const resource = desired.resources.get(address);
    if (!resource) return !before.counterpart({ kind: 'workspace', address, name, attributes: {} });
    const current = isLive(resource) as WorkspaceResource | undefined;
    const was = before.counterpart(resource);
    // What the base did not declare, it leaves as it is, unless it prunes it.
    if (was ? !isSameResource(resource) : !current || before.prunes(current, live.dialect)) return false;
    // What is gone is not created.
    if (base.onlyChanged && !current) return true;
    const targetOf = (one: Resource) =>
      workspaceTarget(one as WorkspaceResource, current as WorkspaceResource, live.dialect, []);
    const targets = [targetOf(resource), was ? targetOf(was) : (current as WorkspaceResource)];
    return selectors.every(({ tagged, ...own }) => {
      const [isSelected, wasSelected] = targets.map((one) => matchesSelector(own, one, live.dialect));
      const isTaggedAlike =
        isAlike(resource, ['project', 'tag-bindings']) && isAlike(projectOf(resource), ['tag-bindings']);
      return isSelected === wasSelected && (!tagged || isTaggedAlike);
    });
  };
  const selectAlike = ({ add = [], remove = [] }: FieldChange, change: Change, head: Resource) => {
    // The service returns no list of a shared state, so the entries that a selector adds are unknown.
    if (sharingSwitchOf(change.live?.attributes ?? {}) !== undefined) return true;
    const rule = asListRule<ConsumerRef>(head.attributes['remote-state-consumers']);
    const selectors = rule ? namedEntries(rule).filter((ref) => typeof ref !== 'string') : [];
    const names = [...add, ...remove].map((key) => nameOfConsumer(key, live.names));
    const isAlikeIn = (name: string | undefined) => name === undefined || isSelectedAlike(name, selectors);
    return selectors.length === 0 || names.every(isAlikeIn);
  };
  const ofField = (field: FieldChange, change: Change, head: Resource | undefined): Cause => {
    const { path } = field;
    const was = head && before.counterpart(head);
    if (!head || !was) return 'change';
    if (path === 'name' && head.kind === 'workspace')
      return causeIf(was.declared?.renamedFrom === head.declared?.renamedFrom);
    if (!isAlike(head, [path])) return 'change';
    if (path === 'remote-state-consumers') return causeIf(selectAlike(field, change, head));
    // Declared as it was inherited, it differs only because its project does.
    if (path === destroyDuration && change.live?.attributes[inheritedDestroyDuration] === field.after)
      return causeIf(
        isAlike(head, ['project']) && isAlike(change.target && projectOf(change.target), [destroyDuration]),
      );
    if (head.attributes[path] !== undefined) return 'drift';
    // A value that follows from others has their cause.
    return causeIf(isAlike(head, fieldsTogether[head.kind](path)));
  };
  return (change, field) => {
    const head = desired.resources.get(change.address);
    if (field) return ofField(field, change, head);
    const was = head && before.counterpart(head);
    // The base creates nothing: the live workspace has the other name.
    if (change.action === 'create' && was && isLive(was)) return 'change';
    if (head) return causeIf(isSameResource(head));
    return causeIf(change.live !== undefined && before.prunes(change.live, live.dialect));
  };
}

interface Compared {
  readonly live: Live;
  readonly difference: { readonly changes: readonly Change[] };
  readonly chosen: (address: string) => boolean;
}

export function comparedWithBase(
  { desired, base }: Declared,
  compared: Compared,
): Pick<Plan, 'base' | 'noLongerDeclared'> {
  if (base === undefined) return {};
  const { ref, commit, onlyChanged, declared } = base;
  return {
    base: { ref, commit, onlyChanged },
    noLongerDeclared: declared && noLongerDeclared({ desired }, declared, compared),
  };
}

function noLongerDeclared(
  { desired }: Pick<Configuration, 'desired'>,
  declared: BaseDeclarations,
  { live, difference: { changes }, chosen }: Compared,
): NoLongerDeclared[] {
  const now = finderIn(desired.resources.values());
  const isLive = finderIn(live.state.resources.values());
  const planned = new Map(changes.map((change) => [change.address, change]));
  // A resource that only the base declares can change only by its deletion.
  const isDeleted = finderIn(changes.flatMap((change) => change.live ?? []));
  const found = [...declared.desired.resources.values()].flatMap((resource): NoLongerDeclared[] => {
    const head = now(resource);
    const { absent, until } = resource.declared ?? {};
    // Access that has ended counts as absent, and can still be live.
    if ((absent && !until) || !chosen((head ?? resource).address)) return [];
    const current = isLive(resource);
    if (!head) return isDeleted(resource) || (!current && isGone(resource, live)) ? [] : [about(resource)];
    // A run reads what it chooses, so that nothing stays of what it has not found.
    if (head.declared?.absent || !current) return [];
    const { address } = head;
    const { action, target = current, fields = [] } = planned.get(address) ?? {};
    if (action === 'create') return [about(resource)];
    return droppedFields(resource, head, { current: target, live })
      .filter((field) => !fields.some(({ path }) => path === field))
      .map((field) => ({ ...about({ ...located(resource, field), address }), field }));
  });
  return found.sort(
    (a, b) => compareTexts(a.address, b.address) || compareTexts(a.field ?? '', b.field ?? ''),
  );
}

function isGone({ kind, attributes }: Resource, live: Live): boolean {
  switch (kind) {
    case 'workspace':
      return live.whole || live.scopeWhole;
    case 'project':
      return false;
    case 'team-access':
      return live.projects.includes(String(attributes.project));
    default:
      return kind satisfies never;
  }
}

/** The fields with a value that only the base declares. A list counts if the files no longer assert an entry of it. */
function droppedFields(
  base: Resource,
  head: Resource,
  { current, live }: { readonly current: Resource; readonly live: Live },
): string[] {
  // A level with its permissions is declared as a whole.
  if (base.kind === 'team-access') return [];
  return Object.entries(base.attributes).flatMap(([path, before]) => {
    if (before === null || path === 'name') return [];
    const value = current.attributes[path];
    if (value === undefined ? !mayBeUnread(path, live) : isNothing(value)) return [];
    const now = head.attributes[path];
    if (now !== undefined) return dropsEntries(path, before, now) ? path : [];
    return isInherited(path, current, base) ? [] : path;
  });
}

function mayBeUnread(path: string, { missing, dialect }: Live): boolean {
  if (missing.some((feature) => feature === path)) return false;
  return path === 'tag-bindings' ? dialect !== 'iac' : separateRelations.some((one) => one === path);
}

function isNothing(value: Value): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function dropsEntries(path: string, before: Value, now: Value): boolean {
  if (path === 'tag-bindings') {
    const [had, has] = [asBindingRule(before), asBindingRule(now)];
    if (had === undefined || has === undefined || 'exactly' in has) return false;
    const kept = { ...has.add, ...Object.fromEntries(has.remove.map((key) => [key, null])) };
    return Object.keys('exactly' in had ? had.exactly : had.add).some((key) => !Object.hasOwn(kept, key));
  }
  if (!listPaths.has(path)) return false;
  const rule = asRule(now);
  if (!('add' in rule)) return false;
  const kept = new Set([...rule.add, ...rule.remove].map(canonicalJson));
  return asserted(asRule(before)).some((entry) => !kept.has(canonicalJson(entry)));
}
