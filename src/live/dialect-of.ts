import { attributePaths, nestedAttributes, wireName, workspaceAttributes } from '../model/attributes.ts';
import { type Dialect, dialects } from '../model/dialect.ts';
import {
  type PermissionSpec,
  permissionGroups,
  permissionPaths,
  permissions,
  permissionWireName,
} from '../model/permissions.ts';
import { isRecord } from '../model/value.ts';
import type { ResourceObject } from '../service/documents.ts';

/** A document tells its dialect by the names that only one of them has; `undefined` where it holds none of these. */
export function dialectOf({ attributes }: ResourceObject): Dialect | undefined {
  const groups = [...nestedAttributes, ...permissionGroups].map((name) => attributes[name]);
  const names = new Set(
    [attributes, ...groups].flatMap((group) => (isRecord(group) ? Object.keys(group) : [])),
  );
  return dialects.find((dialect) => telltales(dialect).some((name) => names.has(name)));
}

function telltales(dialect: Dialect): string[] {
  const attributes = attributePaths.filter((path) => workspaceAttributes[path].wire);
  const granted = permissionPaths.filter((path) => (permissions[path] as PermissionSpec).wire);
  return [
    ...attributes.map((path) => wireName(path, dialect)),
    ...granted.map((path) => permissionWireName(path, dialect)),
  ];
}
