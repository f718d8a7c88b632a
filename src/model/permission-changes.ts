import type { FieldChange } from './change.ts';
import { permissionPaths } from './permissions.ts';
import type { Value } from './value.ts';

/** Permission values by path; a grant's attributes are such too. */
export type PermissionValues = Readonly<Record<string, Value>>;

/** Which permissions come and go. Where there is no grant, nothing is permitted. */
export function permissionChanges(
  before: PermissionValues | undefined,
  after: PermissionValues | undefined,
): FieldChange[] {
  return permissionPaths.flatMap((path): FieldChange[] => {
    const had = before?.[path] ?? null;
    const has = after?.[path] ?? null;
    return had === has || (isNothing(had) && isNothing(has)) ? [] : [{ path, before: had, after: has }];
  });
}

function isNothing(value: Value): boolean {
  return value === null || value === false || value === 'none';
}
