import type { PermissionPath } from '../model/attribute-values.ts';
import type { Dialect } from '../model/dialect.ts';
import { type AccessLevel, accessLevels, impliedPermissions, permissions } from '../model/permissions.ts';
import { pathsOf } from '../model/rows.ts';
import { type GrantResource, grantAddress } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { isId, type ResourceObject, relatedId } from '../service/documents.ts';
import { permissionsFromWire, unusableGrant } from '../service/wire-codec.ts';

/**
 * Converts a `team-projects` document to a live grant (interface, section 2.4). The permissions that a level implies
 * are taken from the permission table and not from the response, which may omit them. Permissions of newer servers are
 * the exception: they are taken from the response, and are absent if it omits them.
 *
 * @throws {NetworkError} if it has no team, or an access level that the interface does not define.
 */
export function grantFromDocument(
  document: ResourceObject,
  project: string,
  dialect: Dialect,
): GrantResource {
  const team = relatedId(document, 'team');
  const access = document.attributes.access;
  // The id becomes a part of the address.
  if (!isId(team)) throw unusableGrant(document.id, 'team');
  if (!isAccessLevel(access)) throw unusableGrant(document.id, 'access');
  return {
    kind: 'team-access',
    address: grantAddress(project, team),
    name: `${project}/${team}`,
    id: document.id,
    attributes: { project, team, access, ...effectivePermissions(document, access, dialect) },
  };
}

function effectivePermissions(document: ResourceObject, access: AccessLevel, dialect: Dialect): Values {
  const implied = access === 'custom' ? undefined : impliedPermissions[access];
  const isImplied = (path: PermissionPath) => implied !== undefined && permissions[path].only === undefined;
  const answered = permissionsFromWire(document.attributes, dialect, document.id, (path) => !isImplied(path));
  const effective = pathsOf(permissions, dialect).flatMap((path): (readonly [PermissionPath, Value])[] => {
    if (isImplied(path)) return [[path, implied?.[path] ?? null]];
    const value = answered[path] ?? (permissions[path].only ? undefined : permissions[path].customDefault);
    return value === undefined ? [] : [[path, value]];
  });
  return Object.fromEntries(effective);
}

function isAccessLevel(value: unknown): value is AccessLevel {
  return accessLevels.some((level) => level === value);
}
