import type { SourceLocation } from '../model/diagnostic.ts';
import type { ConsumerRef, ListRule } from '../model/state.ts';
import type { Value } from '../model/value.ts';

/** One value that a layer declares for workspaces. */
export interface Field {
  /** Ready for the state: ids resolved, lists as rules. Undefined where it was wrong. */
  readonly value: Value | undefined;
  /** As the file has it, for the places of list entries. */
  readonly raw: unknown;
  /** Where the key stands. */
  readonly location: SourceLocation;
  /** Whether the workspace itself says so, rather than the defaults or a template. */
  readonly own: boolean;
}

/** What one layer, or several together, declare: by attribute path, relation, or `protect`. */
export type Fields = ReadonlyMap<string, Field>;

export type TagRule = ListRule<string>;
export type ConsumerRule = ListRule<ConsumerRef>;

/**
 * The layer `top` over the layer `base`. Scalars and lists replace, `vcs-repo` and `setting-overwrites` merge by key
 * (they are dotted paths here), tags add up. A mode or pool and the flag that inherits it override each other.
 */
export function overlayFields(base: Fields, top: Fields): Fields {
  if (base.size === 0) return top;
  const merged = new Map(base);
  for (const path of overruled(base, top)) merged.delete(path);
  for (const [path, field] of top) {
    if (path.startsWith('vcs-repo.')) merged.delete('vcs-repo');
    // `vcs-repo: null` clears what lower layers say about the repository.
    else if (path === 'vcs-repo')
      for (const key of base.keys()) if (key.startsWith('vcs-repo.')) merged.delete(key);
    merged.set(path, path === 'tags' ? joinTags(base.get('tags'), field) : field);
  }
  return merged;
}

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';

/**
 * What a layer says about the execution mode and the pool overrides what lower layers say about the same thing, whether
 * it is a value of the workspace's own or the flag that inherits one.
 */
function overruled(base: Fields, top: Fields): string[] {
  const inherits = (flag: string) => base.get(flag)?.value === false && !top.has(flag);
  const mode = top.get('execution-mode')?.value;
  const hasPool = typeof top.get('agent-pool-id')?.value === 'string';
  const hasMode = typeof mode === 'string';
  return [
    ...(inherits(modeFlag) && (hasMode || hasPool) ? [modeFlag] : []),
    // In agent mode the pool can still be the organization's.
    ...(inherits(poolFlag) && (hasPool || (hasMode && mode !== 'agent')) ? [poolFlag] : []),
    ...(top.get(modeFlag)?.value === false ? ['execution-mode', 'agent-pool-id'] : []),
    ...(top.get(poolFlag)?.value === false ? ['agent-pool-id'] : []),
  ];
}

/** Lower layers hold plain lists only, so what is there by now is `exactly` (or was wrong). */
function joinTags(base: Field | undefined, top: Field): Field {
  const layered = base?.value as TagRule | undefined;
  const own = top.value as TagRule | undefined;
  if (!layered || !('exactly' in layered) || !own) return top;
  if ('exactly' in own) {
    // {exactly: [...]} stands alone; a plain list joins.
    if (!Array.isArray(top.raw)) return top;
    return { ...top, value: { exactly: [...new Set([...layered.exactly, ...own.exactly])] } };
  }
  // Whoever says "remove" at the workspace means the tag of a layer as well.
  const removed = new Set(own.remove);
  const kept = layered.exactly.filter((tag) => !removed.has(tag));
  return { ...top, value: { add: [...new Set([...kept, ...own.add])], remove: own.remove } };
}
