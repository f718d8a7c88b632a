import type { Live } from '../../live/read-live.ts';
import { inheritsPool, isRepositoryPath, listPaths, modeFlag } from '../../model/attributes.ts';
import type { Change } from '../../model/change.ts';
import type { BaseDeclarations, Configuration } from '../../model/configuration.ts';
import { about } from '../../model/diagnostic.ts';
import type { NoLongerDeclared } from '../../model/plan.ts';
import type { Resource } from '../../model/state.ts';
import { asBindingRule } from '../../model/tag-bindings.ts';
import { compareTexts, type Value } from '../../model/value.ts';
import { separateRelations } from '../../relations/relations.ts';
import { located } from '../comparison.ts';
import { asRule, asserted, identityKeys, indexOf, listEntryKey } from './declared-by-base.ts';

interface Declarations extends Pick<Configuration, 'desired'> {
  readonly declared: BaseDeclarations;
}

export interface StopsDeclaring {
  readonly live: Live;
  readonly changes: readonly Change[];
  readonly chosen: (address: string) => boolean;
}

/** What the base declares and the configuration does not, and what therefore stays on the service; by address. */
export function noLongerDeclared(
  { desired, declared }: Declarations,
  { live, changes, chosen }: StopsDeclaring,
): NoLongerDeclared[] {
  const now = indexOf(desired.resources.values());
  const liveIndex = indexOf(live.state.resources.values());
  const planned = new Map(changes.map((change) => [change.address, change]));
  // A resource that only the base declares can change only by its deletion.
  const deleted = new Set(changes.flatMap((change) => (change.live ? identityKeys(change.live) : [])));
  const found: NoLongerDeclared[] = [];
  for (const resource of declared.desired.resources.values()) {
    const keys = identityKeys(resource);
    const head = first(keys, now);
    if (resource.declared?.absent || !chosen((head ?? resource).address)) continue;
    const current = first(keys, liveIndex);
    if (head) {
      // A run reads what it chooses, so that nothing stays of what it has not found.
      if (head.declared?.absent || !current) continue;
      const fields = new Set(planned.get(head.address)?.fields.map(({ path }) => path));
      for (const field of droppedFields(resource, head, { current, live }))
        if (!fields.has(field)) found.push({ ...located(resource, field), address: head.address, field });
    } else if (!keys.some((key) => deleted.has(key)) && !isGone(resource, current, live)) {
      found.push(about(resource));
    }
  }
  return found.sort(
    (a, b) => compareTexts(a.address, b.address) || compareTexts(a.field ?? '', b.field ?? ''),
  );
}

function first(keys: readonly string[], index: ReadonlyMap<string, Resource>): Resource | undefined {
  return keys.flatMap((key) => index.get(key) ?? [])[0];
}

/** Whether the run has read that a resource does not exist. What was not read may exist. */
function isGone({ kind, attributes }: Resource, current: Resource | undefined, live: Live): boolean {
  if (current) return false;
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
    const isReplaced =
      (isRepositoryPath(path) && head.attributes['vcs-repo'] === null) || declaresInherited(path, head);
    return isReplaced ? [] : path;
  });
}

/** Whether a run reads a value only if it needs it. What was not read may exist. */
function mayBeUnread(path: string, { missing, dialect }: Live): boolean {
  if (missing.some((feature) => feature === path)) return false;
  return path === 'tag-bindings' ? dialect !== 'iac' : separateRelations.some((one) => one === path);
}

function isNothing(value: Value): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * A mode or a pool that is inherited now is no longer in effect. A pool is removed with its mode (interface, section 2.1): a
 * declared mode `agent` without a pool inherits it.
 */
function declaresInherited(path: string, { attributes }: Resource): boolean {
  if (path === 'execution-mode') return attributes[modeFlag] === false;
  if (path !== 'agent-pool-id') return false;
  return attributes['execution-mode'] !== undefined || inheritsPool((flag) => attributes[flag]);
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
  const kept = new Set([...rule.add, ...rule.remove].map(listEntryKey));
  return asserted(asRule(before)).some((entry) => !kept.has(listEntryKey(entry)));
}
