import type { SourceLocation } from '../model/diagnostic.ts';
import type { ConsumerRef, ListRule } from '../model/state.ts';
import type { Value } from '../model/value.ts';

/** A layer of a workspace's settings. `defaults` is the lowest, then the templates in order, then the workspace. */
export type LayerName = 'defaults' | `template.${string}` | 'workspace';

/** One value that a layer declares for workspaces. */
export interface Field {
  /** Ready for the state: ids resolved, lists as rules. Undefined where it was wrong. */
  readonly value: Value | undefined;
  /** As the file has it. */
  readonly raw: Value | undefined;
  /** The location of the key. */
  readonly location: SourceLocation;
  /** The highest layer that declares it. */
  readonly layer: LayerName;
  /** What lower layers declare under the same path, lowest first. */
  readonly lower?: readonly Field[];
  /** The lists that the file has here, if the field is a list. */
  readonly lists?: readonly WrittenList[];
}

/** A list as the file has it. A plain list has the effect `list`. */
export interface WrittenList {
  readonly effect: 'list' | 'exactly' | 'add' | 'remove';
  readonly items: readonly Value[];
  /** The location of the item with this index. */
  readonly locate: (index: number) => SourceLocation;
}

/** What one layer, or several together, declare: by attribute path, relation, or `protect`. */
export type Fields = ReadonlyMap<string, Field>;

/** A field of a lower layer that another key of a higher layer makes void. */
export interface RemovedField {
  readonly field: Field;
  /** The path of the key that removes it, and its declaration. */
  readonly path: string;
  readonly by: Field;
}

/** Several layers on top of each other. */
export interface Layered {
  readonly fields: Fields;
  readonly removed: ReadonlyMap<string, RemovedField>;
  /** The templates among the layers, lowest first. */
  readonly templates: readonly string[];
}

/** The layers of a workspace, of a template, or of the defaults. */
export interface DeclaredLayers extends Layered {
  /** The location of its key. */
  readonly location: SourceLocation;
  /** The templates that it names under `extends` itself. */
  readonly extends: readonly string[];
}

export const noLayers: Layered = { fields: new Map(), removed: new Map(), templates: [] };

/** One layer alone. */
export function singleLayer(fields: Fields, templates: readonly string[] = []): Layered {
  return { ...noLayers, fields, templates };
}

export type TagRule = ListRule<string>;
export type ConsumerRule = ListRule<ConsumerRef>;

/**
 * The layer `top` over the layer `base`. Scalars and lists replace, `vcs-repo` and `setting-overwrites` merge by key
 * (they are dotted paths here), tags add up. A mode or pool and the flag that inherits it override each other.
 */
export function overlayFields(base: Layered, top: Layered): Layered {
  if (base === noLayers) return top;
  const fields = new Map(base.fields);
  let removed = base.removed;
  const remove = (path: string, [by, field]: Entry) => {
    const lower = fields.get(path);
    if (!lower) return;
    fields.delete(path);
    removed = new Map(removed).set(path, { field: lower, path: by, by: field });
  };
  for (const [path, by] of overruled(base.fields, top.fields)) remove(path, by);
  for (const [path, { field, ...by }] of top.removed)
    removed = new Map(removed).set(path, { ...by, field: over(base.fields.get(path), field) });
  for (const entry of top.fields) {
    const [path, field] = entry;
    if (path.startsWith('vcs-repo.')) remove('vcs-repo', entry);
    // `vcs-repo: null` clears what lower layers say about the repository.
    else if (path === 'vcs-repo') {
      for (const key of base.fields.keys()) if (key.startsWith('vcs-repo.')) remove(key, entry);
    }
    const value = path === 'tags' ? joinTags(fields.get(path), field) : field.value;
    fields.set(path, over(fields.get(path) ?? removed.get(path)?.field, { ...field, value }));
    if (removed.has(path)) removed = without(removed, path);
  }
  return { fields, removed, templates: [...new Set([...base.templates, ...top.templates])] };
}

function over(base: Field | undefined, top: Field): Field {
  if (!base) return top;
  return { ...top, lower: [...(base.lower ?? []), base, ...(top.lower ?? [])] };
}

function without(removed: Layered['removed'], path: string): Layered['removed'] {
  const rest = new Map(removed);
  rest.delete(path);
  return rest;
}

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';

type Entry = readonly [path: string, field: Field];

/**
 * What a layer declares about the execution mode and the pool overrides what lower layers declare about the same thing:
 * a value of the workspace's own or the flag that inherits one. A duration overrides the destroy time of lower layers.
 * Returns each overridden path with the entry that overrides it.
 */
function overruled(base: Fields, top: Fields): (readonly [path: string, by: Entry])[] {
  const inherits = (flag: string) => base.get(flag)?.value === false && !top.has(flag);
  const entry = (path: string, applies: (value: Value | undefined) => boolean): Entry | undefined => {
    const field = top.get(path);
    return field && applies(field.value) ? [path, field] : undefined;
  };
  const isText = (value: Value | undefined) => typeof value === 'string';
  const isOff = (value: Value | undefined) => value === false;
  const mode = entry('execution-mode', isText);
  const pool = entry('agent-pool-id', isText);
  const ownMode = mode ?? pool;
  // In agent mode the pool can still be the organization's.
  const ownPool = pool ?? (mode?.[1].value === 'agent' ? undefined : mode);
  const noMode = entry(modeFlag, isOff);
  const noPool = noMode ?? entry(poolFlag, isOff);
  const found: (readonly [string, Entry])[] = [];
  if (ownMode && inherits(modeFlag)) found.push([modeFlag, ownMode]);
  if (ownPool && inherits(poolFlag)) found.push([poolFlag, ownPool]);
  if (noMode) found.push(['execution-mode', noMode]);
  if (noPool) found.push(['agent-pool-id', noPool]);
  // With a duration the service computes the time.
  const duration = entry('auto-destroy-activity-duration', isText);
  if (duration && !top.has('auto-destroy-at')) found.push(['auto-destroy-at', duration]);
  return found;
}

/** Lower layers hold plain lists only, so what is there by now is `exactly` (or was wrong). */
function joinTags(base: Field | undefined, top: Field): Value | undefined {
  const layered = base?.value as TagRule | undefined;
  const own = top.value as TagRule | undefined;
  if (!layered || !('exactly' in layered) || !own) return top.value;
  if ('exactly' in own) {
    // {exactly: [...]} stands alone; a plain list joins.
    if (!Array.isArray(top.raw)) return top.value;
    return { exactly: [...new Set([...layered.exactly, ...own.exactly])] };
  }
  // Whoever says "remove" at the workspace means the tag of a layer as well.
  const removed = new Set(own.remove);
  const kept = layered.exactly.filter((tag) => !removed.has(tag));
  return { add: [...new Set([...kept, ...own.add])], remove: own.remove };
}
