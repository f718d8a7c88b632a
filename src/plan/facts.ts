import { coupledPaths, destroyDuration, destroyTime, projectExecutionPaths } from '../model/attributes.ts';
import type { Change, GrantChange, ProjectChange, WorkspaceChange } from '../model/change.ts';
import { permissionPaths, permissions } from '../model/permissions.ts';
import type { GrantResource, Resource, WorkspaceResource } from '../model/state.ts';
import type { Values } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';

/** Live values by path, under ids and not aliases. `exists: false` marks a resource that is created. */
export type Facts = Values;

/** The facts of a change of a project: the values that it overwrites; for a deletion what allows it. */
export function projectFacts({ action, live, target, fields, unchanged }: ProjectChange): Facts {
  if (live === undefined) return { exists: false, name: target?.attributes.name ?? null };
  const { name = null } = live.attributes;
  if (action === 'delete')
    return { exists: true, name, ...valuesOf(live, ['tag-bindings', ...(unchanged ?? [])]) };
  const isExecuted = projectExecutionPaths.some((path) => fields.some((field) => field.path === path));
  return { exists: true, name, ...(isExecuted && valuesOf(live, projectExecutionPaths)), ...befores(fields) };
}

/** The facts of a change of a grant: see {@link workspaceFacts}. */
export function grantFacts({ live, target, fields }: GrantChange): Facts {
  const { project = null, team = null, access = null } = (live ?? target)?.attributes ?? {};
  return live
    ? { exists: true, project, team, access, ...keptPermissions(live, target), ...befores(fields) }
    : { exists: false, project, team };
}

/**
 * What a change of a workspace was computed from: the values that it overwrites, whole lists included. Apply re-reads
 * some of them right before it writes, and compares all of them before it applies a saved plan.
 */
export function workspaceFacts(change: WorkspaceChange): Facts {
  const { action, name, live, fields } = change;
  if (live === undefined) return { exists: false, name };
  if (action === 'delete') return deletionFacts(live, change);
  return {
    exists: true,
    ...coupled(live, fields),
    ...befores(fields),
    ...lockOf(live, fields),
    name: live.name,
  };
}

/**
 * What the deletion of a workspace depends on: the values that scopes, selectors and guards evaluate, and its lock. Key/value
 * tags are among them if the plan read them.
 */
function deletionFacts(
  live: WorkspaceResource,
  { unlocks, unchanged = [] }: Pick<WorkspaceChange, 'unlocks' | 'unchanged'> = {},
): Facts {
  const { project = null, tags = [], lock = { locked: false } } = live.attributes;
  return {
    exists: true,
    name: live.name,
    project,
    tags,
    // A new lock forbids the deletion; a removed one does not.
    ...((!isLocked(lock) || unlocks) && { lock }),
    ...valuesOf(live, ['tag-bindings', 'inherited-tag-bindings', ...unchanged]),
  };
}

/** The values of those paths that the service returned. */
function valuesOf({ attributes }: Resource, paths: readonly string[]): Facts {
  return Object.fromEntries(
    paths.flatMap((path) => {
      const value = (attributes as Values)[path];
      return value === undefined ? [] : [[path, value] as const];
    }),
  );
}

/**
 * The permissions that the level of a live grant does not imply, which a custom level can keep: all of a custom one, and
 * those of newer servers.
 */
function keptPermissions(live: GrantResource, target: GrantResource | undefined): Facts {
  const isCustom = live.attributes.access === 'custom';
  const kept = permissionPaths.filter((path) => isCustom || permissions[path].only !== undefined);
  return isCustom || target?.attributes.access === 'custom' ? valuesOf(live, kept) : {};
}

/** The values that the service normalizes together with a written value and may change with it. */
function coupled(live: WorkspaceResource, fields: Change['fields']): Facts {
  const paths = coupledPaths(fields.map(({ path }) => path)).filter(
    // While a duration is set, the time is a server-computed value.
    (path) => path !== destroyTime || !live.attributes[destroyDuration],
  );
  return valuesOf(live, paths);
}

/** A field holds whether it is locked; an undo also needs the reason of the lock. */
function lockOf({ attributes }: WorkspaceResource, fields: Change['fields']): Facts {
  const lock = fields.some(({ path }) => path === 'lock') ? attributes.lock : undefined;
  return lock === undefined ? {} : { lock };
}

function befores(fields: Change['fields']): Facts {
  const readable = fields.filter(({ path, before }) => path !== 'remote-state-consumers' || before !== null);
  return Object.fromEntries(readable.map(({ path, before }) => [path, before]));
}
