import type { Live } from '../live/read-live.ts';
import { type AliasKind, byAliasKind } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import type { Change, FieldChange } from '../model/change.ts';
import type { Aliases, Configuration } from '../model/configuration.ts';
import type { Plan } from '../model/plan.ts';
import { addressIn, isPlaceholder, namesOfGrant, resourcesOf, workspaceAddress } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';

export interface Labels {
  readonly aliases: Aliases;
  readonly names: ReadonlyMap<string, string>;
  /** The first alias of an id, or its name; an id without one as it is. */
  shown(kind: AliasKind, id: string): string;
}

type Named = Pick<Configuration, 'aliases' | 'desired' | 'grantProjects' | 'known'>;

export function labelsWith(
  aliases: Aliases,
  names: Labels['names'],
  projectNames?: Live['projectNames'],
): Labels {
  const byId = byAliasKind((kind) => new Map([...aliases[kind]].reverse().map(([alias, id]) => [id, alias])));
  const listed = (kind: AliasKind, id: string) => {
    const name = kind === 'projects' ? projectNames?.get(id) : undefined;
    return name === undefined || aliases[kind].has(name) ? id : name;
  };
  return { aliases, names, shown: (kind, id) => byId[kind].get(id) ?? listed(kind, id) };
}

export function aliasesAndNames({ aliases, desired, grantProjects, known }: Named): Aliases {
  const projects = [...grantProjects].map(([id, written]) => [written, id] as const);
  const teams = resourcesOf(desired.resources.values(), 'team-access').flatMap(({ name, attributes }) => {
    const { project, team } = namesOfGrant(name);
    return project === grantProjects.get(attributes.project) ? [[team, attributes.team] as const] : [];
  });
  const written: Partial<Record<AliasKind, readonly (readonly [string, string])[]>> = { projects, teams };
  return byAliasKind((kind) => withNames([...aliases[kind], ...(written[kind] ?? [])], known?.get(kind)));
}

/** The aliases, and the names of the ids that a plan replaces or writes, for the plan of its undo. */
export function aliasesForUndo(configuration: Named, { changes }: Pick<Plan, 'changes'>): Aliases {
  const ids = new Set(textsIn(changes.map(({ facts, calls }) => [facts, calls])));
  const all = aliasesAndNames(configuration);
  const isKept = (kind: AliasKind, name: string, id: string) =>
    configuration.aliases[kind].has(name) || ids.has(id);
  return byAliasKind((kind) => new Map([...all[kind]].filter(([name, id]) => isKept(kind, name, id))));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Names come last, so that an id with an alias is shown by it. */
function withNames(
  aliases: readonly (readonly [string, string])[],
  names: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const taken = new Map(aliases);
  // The service lists them in any order, and the same input makes the same plan.
  const others = [...names].map(([id, name]) => [name, id] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map([...taken, ...others.filter(([name]) => !taken.has(name))]);
}

export function labelledField(field: FieldChange, labels: Labels): FieldChange {
  if (field.path === 'remote-state-consumers') return labelledConsumers(field, labels);
  const { before, after } = field;
  if (field.path === 'vcs-repo' && isRecord(before)) {
    const connection = labelledValue(before['oauth-token-id'] as Value, 'vcs-connections', labels);
    return connection ? { ...field, before: { ...before, 'oauth-token-id': connection } as Value } : field;
  }
  const kind = referencePaths[field.path];
  if (kind === undefined) return field;
  return { ...field, before: labelledValue(before, kind, labels), after: labelledValue(after, kind, labels) };
}

function labelledValue(value: Value, kind: AliasKind, { shown }: Labels): Value {
  return typeof value === 'string' ? shown(kind, value) : value;
}

function labelledConsumers(field: FieldChange, { names }: Labels): FieldChange {
  const named = (keys: readonly Value[]) => keys.map((key) => consumerName(String(key), names)).sort();
  const { before, after, add, remove } = field;
  return {
    ...field,
    before: Array.isArray(before) ? named(before) : before,
    after: Array.isArray(after) ? named(after) : after,
    add: add && named(add),
    remove: remove && named(remove),
  };
}

export function consumerName(key: string, names: ReadonlyMap<string, string>): string {
  return nameOfConsumer(key, names) ?? key;
}

export function nameOfConsumer(key: string, names: ReadonlyMap<string, string>): string | undefined {
  return isPlaceholder(key) ? addressIn(key).slice(workspaceAddress('').length) : names.get(key);
}

export function labelsAfter(
  configuration: Named,
  live: Pick<Live, 'names' | 'projectNames'>,
  changes: readonly Change[],
): Labels {
  const names = new Map(live.names);
  for (const { target } of changes) if (target?.id !== undefined) names.set(target.id, target.name);
  return labelsWith(aliasesAndNames(configuration), names, live.projectNames);
}
