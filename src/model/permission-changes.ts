import type { FieldChange } from './change.ts';
import { permissionPaths } from './permissions.ts';
import type { Value, Values } from './value.ts';

/** Which permissions come and go. Where there is no grant, nothing is permitted. */
export function permissionChanges(before: Values | undefined, after: Values | undefined): FieldChange[] {
  return permissionPaths.flatMap((path): FieldChange[] => {
    const had = before?.[path] ?? null;
    const has = after?.[path] ?? null;
    return had === has || (isNothing(had) && isNothing(has)) ? [] : [{ path, before: had, after: has }];
  });
}

function isNothing(value: Value): boolean {
  return value === null || value === false || value === 'none';
}
