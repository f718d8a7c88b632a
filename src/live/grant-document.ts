import type { Dialect } from '../model/dialect.ts';
import {
  type AccessLevel,
  accessLevels,
  impliedPermissions,
  onlyDialect,
  type PermissionPath,
  permissionPaths,
  permissions,
  permissionWireName,
} from '../model/permissions.ts';
import { type GrantResource, grantAddress } from '../model/state.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';

/**
 * Turns a `team-projects` document into a live grant (interface, section 2.4). What a level implies is taken from the
 * permission table and not from the answer, which may repeat it or leave it out. Permissions that only newer servers
 * have are the exception: they are taken from the answer, and one that it leaves out is missing here too.
 *
 * @throws {NetworkError} where it names no team, or an access level that the interface does not have.
 */
export function grantFromDocument(
  document: ResourceObject,
  project: string,
  dialect: Dialect,
): GrantResource {
  const team = relatedId(document, 'team');
  const access = document.attributes.access;
  if (!team) throw unusable(document.id, 'team');
  if (!isAccessLevel(access)) throw unusable(document.id, 'access');
  return {
    kind: 'team-access',
    address: grantAddress(project, team),
    name: `${project}/${team}`,
    id: document.id,
    attributes: { project, team, access, ...effectivePermissions(document, access, dialect) },
  };
}

function effectivePermissions(document: ResourceObject, access: AccessLevel, dialect: Dialect): Values {
  const implied = access === 'custom' ? undefined : impliedPermissions(access);
  const effective = permissionPaths.flatMap((path): (readonly [PermissionPath, Value])[] => {
    const only = onlyDialect(path);
    if (!only && implied) return [[path, implied[path] ?? null]];
    if (only && only !== dialect) return [];
    const group = document.attributes[path.slice(0, path.indexOf('.'))];
    const value = isRecord(group) ? group[permissionWireName(path, dialect)] : undefined;
    if (value === undefined || value === null) return only ? [] : [[path, permissions[path].customDefault]];
    if (typeof value !== 'string' && typeof value !== 'boolean') throw unusable(document.id, path);
    return [[path, value]];
  });
  return Object.fromEntries(effective);
}

export function isAccessLevel(value: unknown): value is AccessLevel {
  return accessLevels.some((level) => level === value);
}

function unusable(id: string, member: string): NetworkError {
  return new NetworkError(
    { method: 'GET', path: pathTo('showTeamProject', { id }) },
    `the team access document is not usable: its ${member} is missing or unknown`,
  );
}
