import { type AttributePath, wireName } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { type PermissionPath, permissionWireName } from '../model/permissions.ts';
import type { Value } from '../model/value.ts';

/** Dotted workspace attributes as the nested object that goes over the wire, under the dialect's names. */
export function wireAttributes(
  values: Iterable<readonly [AttributePath, Value]>,
  dialect: Dialect,
): Record<string, Value> {
  return nest(values, (path) => wireName(path, dialect));
}

/** Dotted permissions as the two objects of a `team-projects` record. */
export function wirePermissions(
  values: Iterable<readonly [PermissionPath, Value]>,
  dialect: Dialect,
): Record<string, Value> {
  return nest(values, (path) => permissionWireName(path, dialect));
}

function nest<Path extends string>(
  values: Iterable<readonly [Path, Value]>,
  nameOf: (path: Path) => string,
): Record<string, Value> {
  const nested: Record<string, Value> = {};
  for (const [path, value] of values) {
    const dot = path.indexOf('.');
    if (dot < 0) nested[nameOf(path)] = value;
    else {
      const parent = path.slice(0, dot);
      nested[parent] = { ...(nested[parent] as Record<string, Value>), [nameOf(path)]: value };
    }
  }
  return nested;
}
