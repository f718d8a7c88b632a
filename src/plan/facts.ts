import type { Change } from '../model/change.ts';
import { permissionPaths } from '../model/permissions.ts';
import type { Resource } from '../model/state.ts';
import type { Value } from '../model/value.ts';

/** Live values by path, under ids and not aliases. `exists: false` stands for a resource that is created. */
export type Facts = Readonly<Record<string, Value>>;

/**
 * What a change was computed from: the values that it overwrites, whole lists included. Apply looks at some of it again
 * right before it writes, and a saved plan is held against all of it.
 */
export function factsOf({ kind, action, name, live, target, fields }: Change): Facts {
  const { project = null, team = null, access = null, tags = [] } = (live ?? target)?.attributes ?? {};
  if (kind === 'team-access') {
    return live
      ? { exists: true, project, team, access, ...customPermissions(live), ...befores(fields) }
      : { exists: false, project, team };
  }
  if (live === undefined) return { exists: false, name };
  if (action === 'delete') return { exists: true, name: live.name, project, tags };
  return { exists: true, ...befores(fields), name: live.name };
}

/** What a level other than `custom` comes to is fixed; under `custom` a new level overwrites each permission. */
function customPermissions({ attributes }: Resource): Facts {
  if (attributes.access !== 'custom') return {};
  return Object.fromEntries(permissionPaths.map((path) => [path, attributes[path] ?? null]));
}

function befores(fields: Change['fields']): Facts {
  const readable = fields.filter(({ path, before }) => path !== 'remote-state-consumers' || before !== null);
  return Object.fromEntries(readable.map(({ path, before }) => [path, before]));
}
