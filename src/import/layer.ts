import { destroyDuration, destroyTime, listPaths, modeFlag } from '../model/attributes.ts';
import { asBindings, isBindingForm } from '../model/tag-bindings.ts';
import { isRecord, sameValue, type Value } from '../model/value.ts';
import { type StatedWorkspace, type Statement, type StatementPath, statementPaths } from './statement.ts';

/** The settings of a workspace, a template or the defaults, in the order of a file. */
export type Layer = ReadonlyMap<StatementPath, Value>;

/** Merges two layers as the language does: by path; plain lists add; a duration overrides a destroy time below it. */
export function overlayLayer(under: Layer, over: Layer): Layer {
  const merged = new Map(under);
  if (typeof over.get(destroyDuration) === 'string') merged.delete(destroyTime);
  for (const [path, value] of over) {
    merged.set(path, hasEntries(path) ? overlayEntries(path, under.get(path), value) : value);
  }
  return merged;
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
  if (hasEntries(path)) return ownEntries(path, statement, under.get(path));
  const { value, isDefault } = statement;
  if (clearsLayer(path, value, under)) return value;
  const isInherited = under.has(path) ? sameValue(under.get(path), value) : isDefault;
  return isInherited ? undefined : value;
}

/** `vcs-repo: null` removes the repository of a layer; an inherited mode removes the mode and pool of a layer. */
function clearsLayer(path: StatementPath, value: Value, under: Layer): boolean {
  if (path === 'vcs-repo') return [...under.keys()].some((key) => key.startsWith('vcs-repo.'));
  const inherits = path === modeFlag && value === false;
  return inherits && (under.has('execution-mode') || under.has('agent-pool-id'));
}

/** An entry of a list or a key/value tag, with what distinguishes it from the others. */
type Entry = readonly [key: string, entry: Value];

/** Whether layers add to the value: it is a list or key/value tags. */
function hasEntries(path: StatementPath): boolean {
  return path === 'tag-bindings' || listPaths.has(path);
}

function entriesIn(path: StatementPath, value: Value | undefined): readonly Entry[] {
  if (path === 'tag-bindings') return Object.entries(asBindings(value) ?? {});
  return Array.isArray(value) ? value.map((entry: Value) => [JSON.stringify(entry), entry]) : [];
}

function valueFrom(path: StatementPath, entries: Iterable<Entry>): Value {
  const all = [...entries];
  return path === 'tag-bindings' ? Object.fromEntries(all) : all.map(([, entry]) => entry);
}

/** Whether the value of a layer is the whole value of every workspace that takes it. */
export function isExact(path: StatementPath, value: Value | undefined): value is { readonly exactly: Value } {
  // A key/value tag can have this key, too.
  if (!isRecord(value)) return false;
  return path === 'tag-bindings' ? isRecord(value.exactly) : Array.isArray(value.exactly);
}

/** Whether the value of a layer adds to the value below it. */
function isPlain(path: StatementPath, value: Value): boolean {
  return path === 'tag-bindings' ? isRecord(value) && !isBindingForm(value) : Array.isArray(value);
}

/** The entries of layers; undefined if they add to or remove from what is below them. */
export function layeredEntries(path: StatementPath, value: Value | undefined): readonly Entry[] | undefined {
  if (isExact(path, value)) return entriesIn(path, value.exactly);
  return value === undefined || isPlain(path, value) ? entriesIn(path, value) : undefined;
}

/** A plain value of a layer adds to the value below; any other form is kept for {@link ownEntries}. */
function overlayEntries(path: StatementPath, under: Value | undefined, over: Value): Value {
  const below = layeredEntries(path, under);
  if (below === undefined || !isPlain(path, over)) return over;
  const all = valueFrom(path, new Map([...below, ...entriesIn(path, over)]));
  return isExact(path, under) ? { exactly: all } : all;
}

/** A plain value adds to those of layers, so if a layer has an entry that the workspace lacks, the value is exact. */
function ownEntries(
  path: StatementPath,
  { value, isDefault }: Statement,
  under: Value | undefined,
): Value | undefined {
  const entries = entriesIn(path, value);
  const all = valueFrom(path, entries);
  if (under === undefined) return isDefault ? undefined : all;
  const below = layeredEntries(path, under);
  const keys = new Set(entries.map(([key]) => key));
  if (below === undefined || below.some(([key]) => !keys.has(key)))
    return entries.length === 0 ? all : { exactly: all };
  const layered = new Map(below);
  const own = entries.filter(([key, entry]) => !layered.has(key) || layered.get(key) !== entry);
  return own.length > 0 ? valueFrom(path, own) : undefined;
}

/** The entries that all of these values have and that no layer declares. */
export function commonEntries(
  path: StatementPath,
  values: readonly (Value | undefined)[],
  under: Value | undefined,
): Value | undefined {
  const [first = [], ...others] = values.map((value) => entriesIn(path, value));
  const layered = new Map(layeredEntries(path, under));
  const rest = others.map((entries) => new Map(entries));
  const common = first.filter(
    ([key, entry]) => !layered.has(key) && rest.every((one) => one.has(key) && one.get(key) === entry),
  );
  return common.length > 0 ? valueFrom(path, common) : undefined;
}
