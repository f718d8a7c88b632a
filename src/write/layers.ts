import { workspaceFields } from '../desired/explain.ts';
import { sameAttribute } from '../diff/fields.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import {
  attributePaths,
  isAttributePath,
  isRepositoryPath,
  listPaths,
  modeFlag,
  poolFlag,
} from '../model/attributes.ts';
import { groupBy, sameValue, type Value, type Values } from '../model/value.ts';
import { type Entry, nested } from './entry.ts';

export type Layer = ReadonlyMap<string, Value>;

/** Individual settings, which no layer declares even if all workspaces have the same value. */
const particular: ReadonlySet<string> = new Set([
  ...[
    'auto-destroy-at',
    'description',
    'lock',
    'remote-state-consumers',
    'source-name',
    'source-url',
    'vcs-repo',
  ],
  // Files and templates are by project already.
  'project',
]);

/** Settings that `defaults` may have whatever the value. */
const harmless: ReadonlySet<string> = new Set([
  ...['agent-pool-id', 'execution-mode', 'iac-version', poolFlag, modeFlag, 'tags', 'tag-bindings'],
]);

export function layersOf(entries: readonly Entry[]) {
  const defaults = defaultsOf(entries);
  const byProject = groupBy(entries, ({ values }) => String(values.get('project') ?? ''));
  const templates = new Map<string, Layer>();
  for (const [project, own] of [...byProject].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const shared = sharedLayer(own, defaults);
    if (project !== '' && shared.size > 0) templates.set(project, new Map([['project', project], ...shared]));
  }
  return { defaults, templates };
}

/**
 * The `defaults` of an import: the documented defaults of the attributes that it always manages, and what all workspaces
 * share. They also apply to workspaces that are declared later. So they never start, apply or destroy runs, share state,
 * or add a key or a repository. A template may do so for the workspaces that extend it.
 */
function defaultsOf(entries: readonly Entry[]): Layer {
  const layer = new Map<string, Value>();
  for (const path of attributePaths) {
    const { alwaysImported, default: usual, defaultDescription } = workspaceAttributes[path];
    const isDeclared = entries.some(({ values }) => values.has(path));
    if (alwaysImported && defaultDescription === undefined && isDeclared) layer.set(path, usual);
  }
  for (const [path, value] of sharedLayer(entries, new Map())) {
    const isDocumented =
      isAttributePath(path) && sameAttribute(path, value, workspaceAttributes[path].default);
    if (!isRepositoryPath(path) && (harmless.has(path) || value === null || isDocumented))
      layer.set(path, value);
  }
  return new Map(
    workspaceFields.flatMap((path) => (layer.has(path) ? [[path, layer.get(path) ?? null]] : [])),
  );
}

function sharedLayer(entries: readonly Entry[], under: Layer): Layer {
  const [first, ...others] = entries;
  const isShared = (path: string, value: Value) =>
    !particular.has(path) && others.every(({ values }) => sameValue(values.get(path), value));
  if (first === undefined || others.length === 0) return new Map();
  return new Map(
    [...first.values]
      .filter(([path, value]) => !first.usual.has(path) && isShared(path, value))
      .map(([path, value]) => [path, exact(path, value)] as const)
      .filter(([path, value]) => !sameValue(under.get(path), value)),
  );
}

export function ownLines(entry: Entry, under: Layer, explicit: ReadonlySet<string>): Values {
  const below = new Set([...under.keys(), ...explicit]);
  const hasRepositoryBelow = [...below].some(isRepositoryPath);
  const own = [...entry.values].flatMap(([path, value]): [string, Value][] => {
    const isBelow = below.has(path) || (path === 'vcs-repo' && hasRepositoryBelow);
    const written = isBelow ? exact(path, value) : value;
    const isInherited = isBelow ? sameValue(under.get(path), written) : entry.usual.has(path);
    return isInherited && !explicit.has(path) ? [] : [[path, written]];
  });
  const unmanaged = workspaceFields.filter((path) => entry.unfit.has(path) && below.has(path));
  return unmanaged.length > 0 ? { unmanaged, ...nested(own) } : nested(own);
}

/** Layers add to a plain list and to plain key/value tags, so both are exact where several layers declare them. */
export function exact(path: string, value: Value): Value {
  return path === 'tag-bindings' || listPaths.has(path) ? { exactly: value } : value;
}
