import type { GrantChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import { type PermissionPath, permissionPaths } from '../model/permissions.ts';
import type { Call } from '../model/plan.ts';
import type { Value, Values } from '../model/value.ts';
import { permissionsToWire } from '../service/wire-codec.ts';
import { callTo } from './operation-endpoints.ts';

/** The call that makes a change of a grant (interface, section 4.9). */
export function grantCalls(change: GrantChange, dialect: Dialect): Call[] {
  const grant = { id: change.live?.id ?? '' };
  switch (change.action) {
    case 'delete':
      return [callTo('deleteGrant', grant)];
    case 'update':
      return [callTo('updateGrant', grant, updateBody(change, dialect))];
    case 'create':
      return [callTo('createGrant', {}, createBody(change, dialect))];
    default:
      return change.action satisfies never;
  }
}

function createBody(change: GrantChange, dialect: Dialect): Value {
  const { project = null, team = null } = change.target?.attributes ?? {};
  return {
    data: {
      type: 'team-projects',
      attributes: accessAttributes(change, declaredPermissions(change), dialect),
      relationships: {
        project: { data: { type: 'projects', id: project } },
        team: { data: { type: 'teams', id: team } },
      },
    },
  };
}

/** The access level is always sent, even if only permissions under `custom` differ. */
function updateBody(change: GrantChange, dialect: Dialect): Value {
  const levelChanges = change.fields.some((field) => field.path === 'access');
  const changed = new Set(change.fields.map((field) => field.path));
  // The permissions that a service keeps from the former level are not documented, so a new `custom` sends all of them.
  const sent = declaredPermissions(change).filter(([path]) => levelChanges || changed.has(path));
  return {
    data: {
      id: change.live?.id ?? null,
      type: 'team-projects',
      attributes: accessAttributes(change, sent, dialect),
    },
  };
}

function accessAttributes(
  change: GrantChange,
  sent: readonly (readonly [PermissionPath, Value])[],
  dialect: Dialect,
): Value {
  return { access: change.target?.attributes.access ?? null, ...permissionsToWire(sent, dialect) };
}

function declaredPermissions(change: GrantChange): (readonly [PermissionPath, Value])[] {
  const attributes: Values = change.target?.attributes ?? {};
  if (attributes.access !== 'custom') return [];
  return permissionPaths.flatMap((path) => {
    const value = attributes[path];
    return value === undefined ? [] : [[path, value] as const];
  });
}
