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
import { listTexts, sameValue, type Value } from '../model/value.ts';
import { type StatedWorkspace, type StatementPath, statementPaths } from './statement.ts';

/** The settings of a workspace, a template or the defaults, in the order of a file. */
export type Layer = ReadonlyMap<StatementPath, Value>;

/** Individual settings, which no layer declares even if all workspaces have the same value. */
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
 * The `defaults` of an import: the documented defaults of the attributes that it always manages, and what all workspaces
 * share. They also apply to workspaces that are declared later. So they never start, apply or destroy runs, share state,
 * or add a key or a repository. A template may do so for the workspaces that extend it.
 */
export function defaultsOf(workspaces: readonly StatedWorkspace[]): Layer {
  const documented = attributePaths.flatMap((path): [StatementPath, Value][] => {
    const { alwaysImported, default: value, defaultDescription } = workspaceAttributes[path];
    const isDeclared = workspaces.some(({ statements }) => statements.has(path));
    return alwaysImported && defaultDescription === undefined && isDeclared ? [[path, value]] : [];
  });
  const shared = [...sharedLayer(workspaces)].filter(([path, value]) => isHarmless(path, value));
  const layer = new Map([...documented, ...shared].filter(([path]) => mayDefault(workspaces, path)));
  return new Map(
    statementPaths.flatMap((path) => (layer.has(path) ? [[path, layer.get(path) ?? null]] : [])),
  );
}

/** The settings that all of several workspaces share and that the layer below does not declare. */
export function sharedLayer([first, ...others]: readonly StatedWorkspace[], under: Layer = new Map()): Layer {
  if (first === undefined || others.length === 0) return new Map();
  return new Map(
    statementPaths.flatMap((path): [StatementPath, Value][] => {
      const { value, isDefault = true } = first.statements.get(path) ?? {};
      if (value === undefined || isDefault || particular.has(path)) return [];
      if (others.some(({ statements }) => !sameValue(statements.get(path)?.value, value))) return [];
      return sameValue(under.get(path), exact(path, value)) ? [] : [[path, exact(path, value)]];
    }),
  );
}

/**
 * The lines of a workspace itself that, over the layers below, give its live values.
 *
 * @param explicit keys that it declares whatever the layers below have
 */
export function ownLayer(
  { statements }: StatedWorkspace,
  under: Layer,
  explicit: ReadonlySet<string> = new Set(),
): Layer {
  const hasRepositoryBelow = [...under.keys()].some(isRepositoryPath);
  const own = new Map<StatementPath, Value>();
  for (const path of statementPaths) {
    const statement = statements.get(path);
    if (statement === undefined) continue;
    const isBelow = under.has(path) || explicit.has(path) || (path === 'vcs-repo' && hasRepositoryBelow);
    const value = isBelow ? exact(path, statement.value) : statement.value;
    const isInherited = isBelow ? sameValue(under.get(path), value) : statement.isDefault;
    if (!isInherited || explicit.has(path)) own.set(path, value);
  }
  return own;
}

/** The keys of the layers below that cannot be declared for a workspace: it does not inherit them. */
export function unmanagedKeys({ unstatable }: StatedWorkspace, under: Layer): readonly StatementPath[] {
  return statementPaths.filter((path) => unstatable.has(path) && under.has(path));
}

/** Layers add to a plain list and to plain key/value tags, so both are exact where several layers declare them. */
function exact(path: StatementPath, value: Value): Value {
  return path === 'tag-bindings' || listPaths.has(path) ? { exactly: value } : value;
}

function isHarmless(path: StatementPath, value: Value): boolean {
  if (isRepositoryPath(path)) return false;
  if (unsurprising.has(path) || value === null) return true;
  return isAttributePath(path) && sameAttribute(path, value, workspaceAttributes[path].default);
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
      [
        ...listTexts(statements.get('trigger-patterns')?.value),
        ...listTexts(statements.get('trigger-prefixes')?.value),
      ].length === 0,
  );
}
