import type { PermissionPath } from '../../model/attribute-values.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  type AccessLevel,
  accessLevels,
  type Permission,
  type PermissionSpec,
  permissionGroups,
  permissions,
} from '../../model/permissions.ts';
import { pathsOf, wireNameOf } from '../../model/rows.ts';
import { isRecord } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';
import type { StoredGrant } from '../store/store.ts';

type Access = Pick<StoredGrant, 'access' | 'permissions'>;

interface AccessInput {
  readonly before: Access | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly dialect: Dialect;
  /** The dialect whose names the attributes have. @default dialect */
  readonly names?: Dialect;
}

/**
 * The level and the permissions after a request. Permissions require the level `custom`. A change from a fixed level to
 * `custom` starts from the documented defaults, a change back discards the permissions (interface, sections 2.4 and
 * 4.9). On the live service, a grant that becomes `custom` keeps what its level implies.
 */
export function resolveAccess(input: AccessInput) {
  const errors: ErrorObject[] = [];
  const level = readLevel(input, errors);
  const given = readPermissions(input, errors);
  const paths = Object.keys(given);
  if (level !== 'custom' && paths.length > 0) {
    const pointer = `/data/attributes/${(paths[0] ?? '').replace('.', '/')}`;
    errors.push(invalid(pointer, 'can be set only when access is custom'));
  }
  const kept = input.before ? keptPermissions(input.before, input.dialect) : {};
  const access: Access = { access: level, permissions: level === 'custom' ? { ...kept, ...given } : {} };
  return { access, errors };
}

function keptPermissions(before: Access, dialect: Dialect): Access['permissions'] {
  if (before.access === 'custom' || dialect === 'iac') return before.permissions;
  return Object.fromEntries(
    pathsOf(permissions, dialect).map((path) => [path, grantedPermission(before, path)] as const),
  );
}

function readLevel({ before, attributes }: AccessInput, errors: ErrorObject[]): AccessLevel {
  const { access } = attributes;
  const level = accessLevels.find((known) => known === access);
  if (level) return level;
  if (access !== undefined || !before)
    errors.push(invalid('/data/attributes/access', `must be one of ${accessLevels.join(', ')}`));
  return before?.access ?? 'read';
}

function readPermissions({ attributes, dialect, names = dialect }: AccessInput, errors: ErrorObject[]) {
  const given: Partial<Record<PermissionPath, Permission>> = {};
  for (const group of permissionGroups) {
    const holder = attributes[group];
    if (holder === undefined || (holder === null && dialect === 'terraform')) continue;
    if (!isRecord(holder)) {
      errors.push(invalid(`/data/attributes/${group}`, 'must be an object'));
      continue;
    }
    for (const path of pathsOf(permissions, dialect)) {
      const name = wireNameOf(permissions, path, names);
      if (!path.startsWith(`${group}.`) || !(name in holder)) continue;
      const values: readonly Permission[] = permissions[path].values;
      const value = values.find((known) => known === holder[name]);
      if (value !== undefined) given[path] = value;
      else errors.push(invalid(`/data/attributes/${group}/${name}`, `must be one of ${values.join(', ')}`));
    }
  }
  return given;
}

/**
 * The permission that a grant gives: implied by its level, or set under `custom` (interface, section 2.4). If the
 * implied permission is undocumented, `admin` implies the most and every other level the least.
 */
export function grantedPermission(
  grant: Pick<StoredGrant, 'access' | 'permissions'>,
  path: PermissionPath,
): Permission {
  const spec: PermissionSpec = permissions[path];
  if (grant.access === 'custom') return grant.permissions[path] ?? spec.customDefault;
  if (spec.implied) return spec.implied[grant.access];
  return (grant.access === 'admin' ? spec.values.at(-1) : undefined) ?? spec.customDefault;
}
