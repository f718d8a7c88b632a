import {
  type Permission,
  type PermissionPath,
  type PermissionSpec,
  permissions,
} from '../../model/permissions.ts';
import type { GrantRecord } from '../store/records.ts';

/**
 * What a grant gives: implied by its level, or set one by one under `custom` (interface, section 2.4). Where it is not
 * documented what a level implies, `admin` implies the most and every other level the least.
 */
export function grantedPermission(
  grant: Pick<GrantRecord, 'access' | 'permissions'>,
  path: PermissionPath,
): Permission {
  const spec: PermissionSpec = permissions[path];
  if (grant.access === 'custom') return grant.permissions[path] ?? spec.customDefault;
  if (spec.implied) return spec.implied[grant.access];
  return (grant.access === 'admin' ? spec.values.at(-1) : undefined) ?? spec.customDefault;
}
