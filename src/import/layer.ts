import { sameValue, type Value } from '../model/value.ts';
import { type StatedWorkspace, type StatementPath, statementPaths } from './statement.ts';

/** What a workspace, a template or the defaults say, in the order of a file. */
export type Layer = ReadonlyMap<StatementPath, Value>;

/** A layer over another, as the language merges them: by path; tags add up; a duration overrides a destroy time below it. */
export function overlayLayer(under: Layer, over: Layer): Layer {
  const merged = new Map(under);
  if (typeof over.get('auto-destroy-activity-duration') === 'string') merged.delete('auto-destroy-at');
  for (const [path, value] of over) {
    merged.set(path, path === 'tags' ? [...texts(under.get('tags')), ...texts(value)] : value);
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
  if (path === 'tags') return ownTags(texts(value), under, isDefault);
  if (isTakenAway(path, value, under)) return value;
  const isInherited = under.has(path) ? sameValue(under.get(path), value) : isDefault;
  return isInherited ? undefined : value;
}

/** Tags of layers add up, so one that the workspace does not have makes it name all of its own. */
function ownTags(tags: readonly string[], under: Layer, isDefault: boolean): Value | undefined {
  if (!under.has('tags')) return isDefault ? undefined : tags;
  const layered = texts(under.get('tags'));
  if (layered.some((tag) => !tags.includes(tag))) return { exactly: tags };
  const own = tags.filter((tag) => !layered.includes(tag));
  return own.length > 0 ? own : undefined;
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
