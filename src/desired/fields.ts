import type { SourceLocation } from '../model/location.ts';
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
 * (they are dotted paths here), tags add up.
 */
export function overlay(base: Fields, top: Fields): Fields {
  if (base.size === 0) return top;
  const merged = new Map(base);
  for (const [path, field] of top) {
    if (path.startsWith('vcs-repo.')) merged.delete('vcs-repo');
    // `vcs-repo: null` clears what lower layers say about the repository.
    else if (path === 'vcs-repo')
      for (const key of base.keys()) if (key.startsWith('vcs-repo.')) merged.delete(key);
    merged.set(path, path === 'tags' ? joinTags(base.get('tags'), field) : field);
  }
  return merged;
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
