import { listPaths } from '../model/attributes.ts';
import { isRecord, sameValue, type Value } from '../model/value.ts';
import { type StatedWorkspace, type StatementPath, statementPaths } from './statement.ts';

/** What a workspace, a template or the defaults say, in the order of a file. */
export type Layer = ReadonlyMap<StatementPath, Value>;

/** A layer over another, as the language merges them: by path; plain lists add; a duration overrides a destroy time below it. */
export function overlayLayer(under: Layer, over: Layer): Layer {
  const merged = new Map(under);
  if (typeof over.get('auto-destroy-activity-duration') === 'string') merged.delete('auto-destroy-at');
  for (const [path, value] of over) {
    merged.set(path, listPaths.has(path) ? overlayList(under.get(path), value) : value);
  }
  return merged;
}

/** What a workspace has to say itself over the layers under it, so that all together comes to what it states. */
export function ownLayer(workspace: StatedWorkspace, under: Layer): Layer {
  const own = new Map<StatementPath, Value>();
  for (const path of statementPaths) {
    const value = ownValue(workspace, path, under);
    if (value !== undefined) own.set(path, value);
  }
  return own;
}

/** One line of it: where nobody under it says so, or somebody says otherwise. */
export function ownValue(
  { statements }: StatedWorkspace,
  path: StatementPath,
  under: Layer,
): Value | undefined {
  const statement = statements.get(path);
  if (statement === undefined) return undefined;
  const { value, isDefault } = statement;
  if (listPaths.has(path)) return ownList(texts(value), under.get(path), isDefault);
  if (isTakenAway(path, value, under)) return value;
  const isInherited = under.has(path) ? sameValue(under.get(path), value) : isDefault;
  return isInherited ? undefined : value;
}

/** A plain list of a layer adds to what is below it; any other form stays as it is, for {@link ownList} to see. */
function overlayList(under: Value | undefined, over: Value): Value {
  const entries = Array.isArray(over) ? layerEntries(under) : undefined;
  if (entries === undefined) return over;
  const all = [...new Set([...entries, ...(over as readonly Value[])])];
  return isRecord(under) ? { exactly: all } : all;
}

/** A plain list of a workspace joins those of layers, so an entry that it does not have makes it name all of its own. */
function ownList(
  entries: readonly string[],
  under: Value | undefined,
  isDefault: boolean,
): Value | undefined {
  if (under === undefined) return isDefault ? undefined : entries;
  const layered = layerEntries(under);
  if (layered === undefined || layered.some((entry) => typeof entry !== 'string' || !entries.includes(entry)))
    return entries.length === 0 ? [] : { exactly: entries };
  const own = entries.filter((entry) => !layered.includes(entry));
  return own.length > 0 ? own : undefined;
}

/** The entries of a list of layers; undefined where it changes what is below it. */
export function layerEntries(list: Value | undefined): readonly Value[] | undefined {
  if (list === undefined) return [];
  if (isRecord(list)) return Array.isArray(list.exactly) ? list.exactly : undefined;
  return Array.isArray(list) ? list : undefined;
}

/** `vcs-repo: null` takes away all that a layer says of a repository; an inherited mode, its mode and its pool. */
function isTakenAway(path: StatementPath, value: Value, under: Layer): boolean {
  if (path === 'vcs-repo') return [...under.keys()].some((key) => key.startsWith('vcs-repo.'));
  const inherits = path === 'setting-overwrites.execution-mode' && value === false;
  return inherits && (under.has('execution-mode') || under.has('agent-pool-id'));
}

function texts(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
