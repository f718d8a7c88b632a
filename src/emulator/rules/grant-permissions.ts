import { type Permission, type PermissionPath, permissions } from '../../model/permissions.ts';
import type { GrantRecord } from '../store/records.ts';

/** What a grant gives: implied by its level, or set one by one under `custom` (interface, section 2.4). */
export function grantedPermission(
  grant: Pick<GrantRecord, 'access' | 'permissions'>,
  path: PermissionPath,
): Permission {
  const spec = permissions[path];
  return grant.access === 'custom'
    ? (grant.permissions[path] ?? spec.customDefault)
    : spec.implied[grant.access];
}
