import { listPaths } from '../model/attributes.ts';
import { asBindings } from '../model/tag-bindings.ts';
import { isRecord, sameValue, type Value } from '../model/value.ts';
import { overlayBindings, ownBindings } from './layered-bindings.ts';
import { type StatedWorkspace, type StatementPath, statementPaths } from './statement.ts';

/** The settings of a workspace, a template or the defaults, in the order of a file. */
export type Layer = ReadonlyMap<StatementPath, Value>;

/** Merges two layers as the language does: by path; plain lists add; a duration overrides a destroy time below it. */
export function overlayLayer(under: Layer, over: Layer): Layer {
  const merged = new Map(under);
  if (typeof over.get('auto-destroy-activity-duration') === 'string') merged.delete('auto-destroy-at');
  for (const [path, value] of over) {
    merged.set(path, overlayValue(path, under.get(path), value));
  }
  return merged;
}

function overlayValue(path: StatementPath, under: Value | undefined, over: Value): Value {
  if (path === 'tag-bindings') return overlayBindings(under, over);
  return listPaths.has(path) ? overlayList(under, over) : over;
}

/** The lines of a workspace itself that, over the layers below, give its live values. */
export function ownLayer(workspace: StatedWorkspace, under: Layer): Layer {
  const own = new Map<StatementPath, Value>();
  for (const path of statementPaths) {
    const value = ownValue(workspace, path, under);
    if (value !== undefined) own.set(path, value);
  }
  return own;
}

/** The keys of the layers below that cannot be declared for a workspace: it does not inherit them. */
export function unmanagedKeys(
  { unstatable }: Pick<StatedWorkspace, 'unstatable'>,
  under: Layer,
): readonly StatementPath[] {
  return statementPaths.filter((path) => unstatable.has(path) && under.has(path));
}

/** The line for one path; `undefined` if the layers below, or the default without any, give the value. */
export function ownValue(
  { statements }: StatedWorkspace,
  path: StatementPath,
  under: Layer,
): Value | undefined {
  const statement = statements.get(path);
  if (statement === undefined) return undefined;
  const { value, isDefault } = statement;
  if (listPaths.has(path)) return ownList(texts(value), under.get(path), isDefault);
  if (path === 'tag-bindings') return ownBindings(asBindings(value) ?? {}, under.get(path), isDefault);
  if (clearsLayer(path, value, under)) return value;
  const isInherited = under.has(path) ? sameValue(under.get(path), value) : isDefault;
  return isInherited ? undefined : value;
}

/** A plain list of a layer adds to the list below; any other form is kept for {@link ownList}. */
function overlayList(under: Value | undefined, over: Value): Value {
  const entries = Array.isArray(over) ? layerEntries(under) : undefined;
  if (entries === undefined) return over;
  const all = [...new Set([...entries, ...(over as readonly Value[])])];
  return isRecord(under) ? { exactly: all } : all;
}

/** A plain list adds to those of layers, so if a layer has an entry that the workspace lacks, the list is exact. */
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

/** The entries of a list of layers; undefined if it adds to or removes from the list below. */
export function layerEntries(list: Value | undefined): readonly Value[] | undefined {
  if (list === undefined) return [];
  if (isRecord(list)) return Array.isArray(list.exactly) ? list.exactly : undefined;
  return Array.isArray(list) ? list : undefined;
}

/** `vcs-repo: null` removes the repository of a layer; an inherited mode removes the mode and pool of a layer. */
function clearsLayer(path: StatementPath, value: Value, under: Layer): boolean {
  if (path === 'vcs-repo') return [...under.keys()].some((key) => key.startsWith('vcs-repo.'));
  const inherits = path === 'setting-overwrites.execution-mode' && value === false;
  return inherits && (under.has('execution-mode') || under.has('agent-pool-id'));
}

function texts(value: Value | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
