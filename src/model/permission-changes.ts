import type { FieldChange } from './change.ts';
import { permissionPaths } from './permissions.ts';
import type { Value, Values } from './value.ts';

/**
 * Which permissions come and go. Without a grant nothing is permitted. A permission that one side does not name is
 * unknown there, so it is left out.
 */
export function permissionChanges(before: Values | undefined, after: Values | undefined): FieldChange[] {
  return permissionPaths.flatMap((path): FieldChange[] => {
    if (isUnknown(before, path) || isUnknown(after, path)) return [];
    const had = before?.[path] ?? null;
    const has = after?.[path] ?? null;
    return had === has || (isNothing(had) && isNothing(has)) ? [] : [{ path, before: had, after: has }];
  });
}

function isUnknown(permissions: Values | undefined, path: string): boolean {
  return permissions !== undefined && permissions[path] === undefined;
}

function isNothing(value: Value): boolean {
  return value === null || value === false || value === 'none';
}
