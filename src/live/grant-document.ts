import type { Dialect } from '../model/dialect.ts';
import {
  type AccessLevel,
  accessLevels,
  impliedPermissions,
  type PermissionPath,
  permissionPaths,
  permissions,
  permissionWireName,
} from '../model/permissions.ts';
import { grantAddress, type Resource } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';

/**
 * Turns a `team-projects` document into a live grant (interface, section 2.4). What a level implies is taken from the
 * permission table and not from the answer, which may repeat it or leave it out.
 *
 * @throws {NetworkError} where it names no team, or an access level that the interface does not have.
 */
export function grantFromDocument(document: ResourceObject, project: string, dialect: Dialect): Resource {
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

function effectivePermissions(
  document: ResourceObject,
  access: AccessLevel,
  dialect: Dialect,
): Record<PermissionPath, Value> {
  if (access !== 'custom') return impliedPermissions(access);
  const custom = permissionPaths.map((path) => {
    const group = document.attributes[path.slice(0, path.indexOf('.'))];
    const value = isRecord(group) ? group[permissionWireName(path, dialect)] : undefined;
    if (value === undefined || value === null) return [path, permissions[path].customDefault];
    if (typeof value !== 'string' && typeof value !== 'boolean') throw unusable(document.id, path);
    return [path, value];
  });
  return Object.fromEntries(custom) as Record<PermissionPath, Value>;
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
