import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import type { Configuration, LookUp } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { type ListRule, mapListRule } from '../model/list-rule.ts';
import { holdSelectors } from '../model/rules.ts';
import { mapSelectorProjects, type Selector, selectedProjects } from '../model/selector.ts';
import {
  type ConsumerRef,
  consumersIn,
  type Declared,
  isWorkspaceId,
  type Resource,
  type ResourceKind,
  resourcesOf,
} from '../model/state.ts';
import { nearest } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import {
  coversAll,
  type NameUse,
  type QueryOptions,
  reportsAll,
  undeclaredAccessIn,
} from './plan-request.ts';

export function mapReferences<Mapped extends Resource>(
  resource: Mapped,
  replace: (id: string) => string,
): Mapped {
  const attributes: Record<string, Value> = {};
  for (const [path, value] of Object.entries(resource.attributes)) {
    if (typeof value === 'string' && referencePaths[path] !== undefined) attributes[path] = replace(value);
    else if (path === 'remote-state-consumers') {
      attributes[path] = mapListRule(value as ListRule<ConsumerRef & Value>, (items) =>
        items.map((item) => (typeof item === 'string' ? item : mapSelectorProjects(item, replace))),
      );
    } else attributes[path] = value;
  }
  const mapped = { ...resource, attributes };
  if (resource.kind !== 'project' || resource.id === undefined) return mapped;
  return { ...mapped, id: replace(resource.id) };
}

function referencesOf(resource: Resource): readonly string[] {
  const found: string[] = [];
  mapReferences(resource, (id) => {
    found.push(id);
    return id;
  });
  return found;
}

const identifiesAll: Readonly<Record<ResourceKind, (declared: Declared) => boolean>> = {
  // A read of one managed project reads the names of all.
  project: () => true,
  workspace: () => false,
  // Another key can declare what one deletes.
  'team-access': ({ absent }) => absent !== undefined,
};

/** Whether the run prunes or reports grants that no file declares. */
export function looksAtLiveAccess({ prune, grantProjects }: Configuration, options: QueryOptions): boolean {
  return (
    grantProjects.size > 0 &&
    (prune.teamAccess || [...grantProjects.values()].some(undeclaredAccessIn(options)))
  );
}

/** The templates that select by a project, or by key/value tags, which a project hands down. */
export function selectingByProject({ layered }: Configuration) {
  const start = 'template.';
  return [...layered.keys()].flatMap((address) => {
    const { selects, when } = (address.startsWith(start) && layered.get(address)) || {};
    const { project, tagged } = selects?.selector ?? {};
    if (selects === undefined || (project ?? tagged) === undefined) return [];
    return { template: address.slice(start.length), selects, when: when as Selector };
  });
}

/** The names that a run depends on: those of the addresses that it evaluates and of the objects that its limits count. */
export function neededLookUps(configuration: Configuration, options: QueryOptions = {}): readonly LookUp[] {
  const { lookUps, desired, scope, prune, guards, holds, grantProjects } = configuration;
  if (lookUps.length === 0) return [];
  const { chosen = () => true, looksAtUndeclared = true } = options;
  const also = new Set(options.also);
  if (coversAll(options)) also.add('keep-admin');
  const resources = [...desired.resources.values()];
  const asked = resources.filter(({ address }) => chosen(address));
  const looksAtAccess = looksAtLiveAccess(configuration, options);
  const wholeKinds = asked.flatMap(({ kind, declared = {} }) => (identifiesAll[kind](declared) ? kind : []));
  const identified = new Set<NameUse>([...also, ...wholeKinds]);
  // A listed grant is not undeclared, so both pruning and reporting need the ids of all listed grants.
  if (looksAtAccess) identified.add('team-access');
  const looked = resources.filter(({ kind, address }) => identified.has(kind) || chosen(address));
  const prunesWorkspaces = prune.workspaces !== 'keep' && looksAtUndeclared;
  const mayDelete = prunesWorkspaces || prune.teamAccess || looked.some(({ declared }) => declared?.absent);
  // An undo deletes and renames what it declares.
  const mayRename = looked.some(({ declared }) => declared?.renamedFrom !== undefined);
  const guardsAccess =
    looked.some(({ kind }) => kind !== 'workspace') || prune.teamAccess || also.has('team-access');
  const keepAdmin = guards.keepAdmin ?? [];
  const selecting = selectingByProject(configuration).map(({ selects }) => selects.selector);
  const reports = reportsAll(options) && looksAtUndeclared;
  const uses: readonly (readonly [isUsed: boolean, placeholders: Iterable<string>])[] = [
    [guardsAccess || also.has('keep-admin'), keepAdmin.flatMap(({ teams }) => [...teams.keys()])],
    [also.has('keep-admin') && keepAdmin.length > 0, configuration.aliases.projects.values()],
    [
      mayDelete || mayRename || also.has('protect'),
      guards.protect.flatMap(({ selector }) => selectedProjects(selector)),
    ],
    [true, looked.flatMap(referencesOf)],
    [looked.some(({ kind }) => kind === 'workspace'), selecting.flatMap(selectedProjects)],
    [looked.length > 0 || mayDelete, holds ? holdSelectors(holds).flatMap(selectedProjects) : []],
    [looked.length > 0 || mayDelete || reports, scope?.projects ?? []],
    [mayDelete || looksAtAccess || also.has('grant-projects'), grantProjects.keys()],
  ];
  const used = new Set(uses.flatMap(([isUsed, placeholders]) => (isUsed ? [...placeholders] : [])));
  return lookUps.filter(({ placeholder }) => used.has(placeholder));
}

/** The names that only a plan can resolve: those of the service, and consumers that no file of the organization declares. */
export function openNames(configuration: Configuration, all: readonly Configuration[]) {
  const { organization } = configuration.desired;
  const together = all.filter(({ desired }) => desired.organization === organization);
  const names = new Set(
    together.flatMap(({ desired }) =>
      resourcesOf(desired.resources.values(), 'workspace').flatMap(bothNames),
    ),
  );
  const consumers = resourcesOf(configuration.desired.resources.values(), 'workspace').flatMap((one) =>
    consumersIn(one.attributes['remote-state-consumers']).flatMap(
      (ref): [string, SourceLocation | undefined][] =>
        typeof ref !== 'string' || isWorkspaceId(ref) || names.has(ref)
          ? []
          : [[ref, one.declared?.locations?.[`remote-state-consumers ${ref}`] ?? one.location]],
    ),
  );
  return [
    ...neededLookUps(configuration).map(({ kind, name, places: [place] }) => ({
      noun: aliasKindTable[kind].noun,
      name,
      location: place?.location,
      near: nearest(name, declaredNames(kind, name, together)),
    })),
    ...[...new Map(consumers)].map(([name, location]) => ({
      noun: 'workspace',
      name,
      location,
      near: nearest(name, names),
    })),
  ];
}

/** A workspace that is renamed is live under one of two names. */
export function bothNames({ name, declared }: Pick<Resource, 'name' | 'declared'>): string[] {
  return declared?.renamedFrom ? [name, declared.renamedFrom] : [name];
}

/** None for the name of an alias, which another alias does not correct. */
function declaredNames(kind: AliasKind, name: string, together: readonly Configuration[]): string[] {
  const own = new Set(
    together.flatMap(({ lookUps }) => lookUps.flatMap((one) => (one.name === name ? one.placeholder : []))),
  );
  const declared = together.flatMap(({ aliases }) => [...aliases[kind]]);
  if (declared.some(([, value]) => own.has(value))) return [];
  return declared.flatMap(([alias]) => (alias === name ? [] : alias));
}
