import type { GrantChange } from './change.ts';
import {
  impliedPermissions,
  isFixedLevel,
  type Permission,
  type PermissionPath,
  permissionPaths,
  permissions,
  workspaceAccessPaths,
} from './permissions.ts';
import type { MoveEffect } from './plan.ts';
import type { GrantValues } from './state.ts';
import type { Value, Values } from './value.ts';

/** Whether a change revokes a grant or lowers one of its permissions. */
export function loweredAccess({ action, live, target }: GrantChange): boolean {
  if (action === 'delete') return true;
  if (live === undefined || target === undefined) return false;
  const [before, after] = [effective(live.attributes), effective(target.attributes)];
  if (live.attributes.access === 'admin' && target.attributes.access !== 'admin') return true;
  return permissionPaths.some((path) => rank(path, after[path]) < rank(path, before[path]));
}

/** Whether the new value of a permission allows less than the former one. */
export function loweredPermission(path: PermissionPath, before: Value, after: Value): boolean {
  return rank(path, after) < rank(path, before);
}

/** What teams lose when a workspace moves to another project. */
export interface AccessLost {
  /** The teams that have less access after the move, or may have. */
  readonly teams: readonly MoveEffect['teams'][number][];
  /** The project whose teams are unknown: any of them may lose access. */
  readonly unread?: string;
}

/** @returns `undefined` if it is known that no team has less access after the move. */
export function accessLost({ from, teams, unknown }: MoveEffect): AccessLost | undefined {
  if (unknown.includes(from)) return { teams: [], unread: from };
  const losing = teams.filter(
    ({ before, after, permissions }) =>
      after === 'unknown' ||
      (before === 'admin' && after !== 'admin') ||
      permissions.some(({ path, ...value }) => {
        const known = path as PermissionPath;
        return loweredPermission(known, value.before, value.after);
      }),
  );
  return losing.length === 0 ? undefined : { teams: losing };
}

/** Whether a team can do less with a workspace that moves: by its access to the former and to the new project. */
export function loweredByMove(before: GrantValues, after: GrantValues | undefined): boolean {
  if (after === undefined) return true;
  const [had, has] = [effective(before), effective(after)];
  return workspaceAccessPaths.some((path) => rank(path, has[path]) < rank(path, had[path]));
}

function effective(attributes: GrantValues): Values {
  const { access } = attributes;
  return isFixedLevel(access) ? impliedPermissions(access) : attributes;
}

/** A permission that one side does not list is unknown there, and counts as the lowest. */
function rank(path: PermissionPath, value: Value | undefined): number {
  const values: readonly Permission[] = permissions[path].values;
  return Math.max(values.indexOf(value as Permission), 0);
}
