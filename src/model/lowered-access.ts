import type { PermissionPath } from './attribute-values.ts';
import type { GrantChange } from './change.ts';
import {
  impliedPermissions,
  isFixedLevel,
  type Permission,
  permissionPaths,
  permissions,
} from './permissions.ts';
import type { GrantState, MoveEffect } from './plan.ts';
import type { GrantValues } from './state.ts';
import type { Value } from './value.ts';

export function grantState(attributes: GrantValues): GrantState {
  const { access = 'custom' } = attributes;
  if (isFixedLevel(access)) return { access, permissions: impliedPermissions[access] };
  const set = permissionPaths.filter((path) => attributes[path] !== undefined);
  return { access, permissions: Object.fromEntries(set.map((path) => [path, attributes[path]])) };
}

export function loweredAccess({ action, live, target }: GrantChange): boolean {
  if (action === 'delete') return true;
  if (live === undefined || target === undefined) return false;
  const [before, after] = [grantState(live.attributes), grantState(target.attributes)];
  if (before.access === 'admin' && after.access !== 'admin') return true;
  return permissionPaths.some((path) =>
    loweredPermission(path, before.permissions[path], after.permissions[path]),
  );
}

/** Whether the new value of a permission allows less than the former one. One that a side does not list is unknown there, and counts as the lowest. */
export function loweredPermission(
  path: PermissionPath,
  before: Value | undefined,
  after: Value | undefined,
): boolean {
  const values: readonly Permission[] = permissions[path].values;
  const rank = (value: Value | undefined) => Math.max(values.indexOf(value as Permission), 0);
  return rank(after) < rank(before);
}

/** Whether a team has less access after the move, or may have: any team of a project whose teams are unknown. */
export function mayLowerAccess({ from, teams, unknown }: MoveEffect): boolean {
  const isLower = ({ before, after, permissions }: MoveEffect['teams'][number]) =>
    after === 'unknown' ||
    (before === 'admin' && after !== 'admin') ||
    permissions.some(({ path, ...value }) =>
      loweredPermission(path as PermissionPath, value.before, value.after),
    );
  return unknown.includes(from) || teams.some(isLower);
}
