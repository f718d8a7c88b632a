import { sameAttribute } from '../diff/normalize.ts';
import {
  attributePaths,
  isAttributePath,
  isRepositoryPath,
  listPaths,
  modeFlag,
  poolFlag,
  workspaceAttributes,
} from '../model/attributes.ts';
import type { Value } from '../model/value.ts';
import {
  commonEntries,
  isExact,
  type Layer,
  layeredEntries,
  overlayLayer,
  ownValue,
  unmanagedKeys,
} from './layer.ts';
import { type ImportDetail, type StatedWorkspace, type StatementPath, statementPaths } from './statement.ts';

/** Individual settings, which are not shared even if many workspaces have the same value. */
const particular: ReadonlySet<StatementPath> = new Set([
  'auto-destroy-at',
  'description',
  'lock',
  // Files and templates are by project already.
  'project',
  'remote-state-consumers',
  'source-name',
  'source-url',
  'vcs-repo',
]);

/** Settings that `defaults` may contain for workspaces that are added later, whatever the value. */
const unsurprising: ReadonlySet<StatementPath> = new Set([
  'agent-pool-id',
  'execution-mode',
  'iac-version',
  poolFlag,
  modeFlag,
  'tags',
  'tag-bindings',
]);

/**
 * The `defaults` of an import: the documented defaults of the attributes that it always manages, and of the others the
 * values that most workspaces have. They also apply to workspaces that are declared later. So they never start, apply
 * or destroy runs, share state, or add a key or a repository. A template may do so for the workspaces that extend it.
 */
export function liftDefaults(workspaces: readonly StatedWorkspace[], detail: ImportDetail): Layer {
  if (workspaces.length === 0) return new Map();
  const documented = detail === 'standard' ? documentedDefaults(workspaces) : new Map();
  const mayLift = (path: StatementPath, value: Value) =>
    isHarmless(path, value) && mayDefault(workspaces, path);
  const layer = overlayLayer(documented, liftCommon(workspaces, documented, mayLift));
  return new Map(
    statementPaths.flatMap((path) => (layer.has(path) ? [[path, layer.get(path) ?? null]] : [])),
  );
}

/** Without the attributes that cannot be declared for most of the workspaces. */
function documentedDefaults(workspaces: readonly StatedWorkspace[]): Layer {
  const paths = attributePaths.filter(
    (path) =>
      workspaceAttributes[path].alwaysImported === true &&
      workspaceAttributes[path].defaultDescription === undefined &&
      mayBeLayered(workspaces, path) &&
      mayDefault(workspaces, path),
  );
  return new Map(paths.map((path) => [path, workspaceAttributes[path].default]));
}

/**
 * Whether a layer may declare the key. A workspace for which it cannot be declared then lists it under `unmanaged`, which
 * only shortens the files if there are few of them. Keys that are only valid together are not separated in this way.
 */
function mayBeLayered(workspaces: readonly StatedWorkspace[], path: StatementPath): boolean {
  const without = workspaces.filter(({ unstatable }) => unstatable.has(path)).length;
  if (without === 0) return true;
  const coupling = isAttributePath(path) ? workspaceAttributes[path].coupling : undefined;
  return without * 2 < workspaces.length && coupling !== 'execution' && coupling !== 'vcs-credentials';
}

/**
 * Some services refuse file triggers without patterns or prefixes, which a workspace that is added later may not have. So
 * `defaults` only contain them if a live workspace shows that the service accepts them.
 */
function mayDefault(workspaces: readonly StatedWorkspace[], path: StatementPath): boolean {
  if (path !== 'file-triggers-enabled') return true;
  return workspaces.some(
    ({ statements }) =>
      statements.get(path)?.value === true &&
      triggerLists.every((list) => layeredEntries(list, statements.get(list)?.value)?.length === 0),
  );
}

const triggerLists = ['trigger-patterns', 'trigger-prefixes'] as const;

function isHarmless(path: StatementPath, value: Value): boolean {
  if (isRepositoryPath(path)) return false;
  if (unsurprising.has(path) || value === null) return true;
  return isAttributePath(path) && sameAttribute(path, value, workspaceAttributes[path].default);
}

/**
 * The settings that most of the workspaces share, as a layer between `under` and them: for each key the most frequent
 * value, if the files become shorter.
 */
export function liftCommon(
  workspaces: readonly StatedWorkspace[],
  under: Layer,
  mayLift: (path: StatementPath, value: Value) => boolean = () => true,
): Layer {
  const lifted = new Map<StatementPath, Value>();
  for (const path of statementPaths) {
    if (particular.has(path) || !mayBeLayered(workspaces, path)) continue;
    const common = commonValue(workspaces, path, under);
    if (common === undefined || !mayLift(path, common)) continue;
    const value = liftedValue(workspaces, [path, common], under);
    if (gain(workspaces, [path, value], overlayLayer(under, lifted)) > 0) lifted.set(path, value);
  }
  return lifted;
}

function commonValue(
  workspaces: readonly StatedWorkspace[],
  path: StatementPath,
  under: Layer,
): Value | undefined {
  if (!isShared(path)) return mostCommon(workspaces, path);
  const all = workspaces.map(({ statements }) => statements.get(path)?.value);
  return commonEntries(path, all, under.get(path));
}

/** Whether workspaces share entries of the value instead of the whole. */
function isShared(path: StatementPath): boolean {
  return path === 'tags' || path === 'tag-bindings';
}

/**
 * A list of a layer in the form that makes it exact for all of these workspaces. A plain list does so if the list below
 * is exact, or if every workspace also has its own list.
 */
function liftedValue(
  workspaces: readonly StatedWorkspace[],
  [path, value]: readonly [StatementPath, Value],
  under: Layer,
): Value {
  if (!isShared(path)) return listPaths.has(path) ? { exactly: value } : value;
  const over = overlayLayer(under, new Map([[path, value]]));
  const isComplete = isExact(path, under.get(path));
  return isComplete || workspaces.every((workspace) => ownValue(workspace, path, over) !== undefined)
    ? value
    : { exactly: value };
}

/** The value that more than half of them have, unless it is the default. */
function mostCommon(workspaces: readonly StatedWorkspace[], path: StatementPath): Value | undefined {
  const counts = new Map<string, { count: number; readonly value: Value }>();
  for (const { statements } of workspaces) {
    const statement = statements.get(path);
    if (statement === undefined || statement.isDefault) continue;
    const key = JSON.stringify(statement.value);
    const known = counts.get(key) ?? { count: 0, value: statement.value };
    known.count += 1;
    counts.set(key, known);
  }
  return [...counts.values()].find(({ count }) => count * 2 > workspaces.length)?.value;
}

/** Number of characters that the files become shorter if a layer declares the value. */
function gain(
  workspaces: readonly StatedWorkspace[],
  [path, value]: readonly [StatementPath, Value],
  under: Layer,
): number {
  const over = overlayLayer(under, new Map([[path, value]]));
  let saved = -written(path, value);
  for (const workspace of workspaces) {
    saved +=
      unmanagedLength(unmanagedKeys(workspace, under)) - unmanagedLength(unmanagedKeys(workspace, over));
    for (const touched of touchedBy(path)) {
      saved += written(touched, ownValue(workspace, touched, under));
      saved -= written(touched, ownValue(workspace, touched, over));
    }
  }
  return saved;
}

/** The keys that a workspace may have to declare because a layer declares this one. */
function touchedBy(path: StatementPath): readonly StatementPath[] {
  if (isRepositoryPath(path)) return [path, 'vcs-repo'];
  if (path === 'execution-mode' || path === 'agent-pool-id') return [path, modeFlag];
  return [path];
}

function unmanagedLength(keys: readonly StatementPath[]): number {
  return keys.length === 0 ? 0 : indentation + `unmanaged: [${keys.join(', ')}]\n`.length;
}

/** The length of a layer in characters. */
export function layerLength(layer: Layer): number {
  return [...layer].reduce((sum, [path, value]) => sum + written(path, value), 0);
}

const indentation = 4;

function written(path: StatementPath, value: Value | undefined): number {
  return value === undefined ? 0 : indentation + path.length + 2 + JSON.stringify(value).length + 1;
}
