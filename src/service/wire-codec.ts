import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import type { AttributePath, PermissionPath } from '../model/attribute-values.ts';
import { nestedAttributes, projectPaths, wirePlaces } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { type Permissions, permissionGroups, permissionPlaces, permissions } from '../model/permissions.ts';
import { type AttributeSpec, wireNameOf } from '../model/rows.ts';
import { isRecord, isTexts, sortedSet, type Value } from '../model/value.ts';
import type { ResourceObject } from './documents.ts';
import { unusable } from './paging.ts';
import type { NetworkError } from './service-error.ts';

type WireAttributes = Readonly<Record<string, unknown>>;

/**
 * The attributes in the body of a write. A live service may refuse a destroy schedule of a workspace that inherits that
 * of its project, so the flag is sent with one.
 */
export function settingsToWire(
  values: Iterable<readonly [AttributePath, Value]>,
  dialect: Dialect,
): Record<string, Value> {
  const wire = nested(values, (path) => wireNameOf(workspaceAttributes, path, dialect));
  const schedule = wire['auto-destroy-at'] ?? wire['auto-destroy-activity-duration'];
  return dialect === 'terraform' && schedule ? { ...wire, 'inherits-project-auto-destroy': false } : wire;
}

export function permissionsToWire(
  values: Iterable<readonly [PermissionPath, Value]>,
  dialect: Dialect,
): Record<string, Value> {
  return nested(values, (path) => wireNameOf(permissions, path, dialect));
}

function nested<Path extends string>(
  values: Iterable<readonly [Path, Value]>,
  nameOf: (path: Path) => string,
): Record<string, Value> {
  const wire: Record<string, Value> = {};
  for (const [path, value] of values) {
    const dot = path.indexOf('.');
    if (dot < 0) wire[nameOf(path)] = value;
    else {
      const holder = path.slice(0, dot);
      wire[holder] = { ...(wire[holder] as Record<string, Value>), [nameOf(path)]: value };
    }
  }
  return wire;
}

/** @param asSent keep `null` and the order of lists, which an answer can have in another way than the request */
export function attributesFromWire(
  wire: WireAttributes,
  dialect: Dialect,
  id: string,
  { asSent = false }: { readonly asSent?: boolean } = {},
): Record<string, Value> {
  const attributes: Record<string, Value> = {};
  for (const { path, holder, name } of wirePlaces[dialect]) {
    const mapping = holder === undefined ? wire : wire[holder];
    const value = isRecord(mapping) ? mapping[name] : undefined;
    if (value === undefined) continue;
    const row = workspaceAttributes[path];
    if (!hasType(row, value)) throw unusableResource('workspaces', id, path);
    // A set has no order, so a plan must not depend on that of a response.
    const isSet = row.type === 'strings' && !asSent;
    attributes[path] = isSet ? sortedSet(isTexts(value) ? value : []) : value;
  }
  return attributes;
}

function hasType({ type }: AttributeSpec, value: unknown): value is Value {
  return value === null || typeof value === type || (type === 'strings' && isTexts(value));
}

/** The defaults of execution are not among them: a document shows those in effect. */
export function projectFromWire(wire: WireAttributes, id: string): Record<string, Value> {
  const attributes: Record<string, Value> = {};
  for (const path of projectPaths) {
    const { [path]: value } = wire;
    const row = projectAttributes[path];
    if (row.coupling || (value === undefined && row.nullable)) continue;
    if (!hasType(row, value) || (value === null && !row.nullable))
      throw unusableResource('projects', id, path);
    attributes[path] = value === '' ? null : value;
  }
  return attributes;
}

/** Missing and `null` ones are left out. */
export function permissionsFromWire(
  wire: WireAttributes,
  dialect: Dialect,
  id: string,
  isRead: (path: PermissionPath) => boolean = () => true,
): Permissions {
  const found: Partial<Record<PermissionPath, string | boolean>> = {};
  for (const { path, holder, name } of permissionPlaces[dialect]) {
    const mapping = wire[holder];
    const value = isRecord(mapping) ? mapping[name] : undefined;
    if (value === undefined || value === null || !isRead(path)) continue;
    if (typeof value !== 'string' && typeof value !== 'boolean')
      throw unusableResource('team-projects', id, path);
    found[path] = value;
  }
  return found;
}

export function unusableResource(
  type: 'workspaces' | 'projects' | 'team-projects',
  id: string,
  member: string,
  why = 'is missing or of another type than the interface gives it',
): NetworkError {
  return unusable(`/${type}/${id}`, `its ${member} ${why}`);
}

export function toWireNames(attributes: WireAttributes, dialect: Dialect): WireAttributes {
  return dialect === 'iac' ? attributes : renamed(attributes, wireNames);
}

export function fromWireNames(attributes: WireAttributes, dialect: Dialect): WireAttributes {
  return dialect === 'iac' ? attributes : renamed(attributes, neutralNames);
}

/** The names of `terraform` by the neutral ones, which are those of `iac`, where they differ. Each is unique, whatever mapping holds it. */
const wireNames: ReadonlyMap<string, string> = new Map(
  [...wirePlaces.terraform, ...permissionPlaces.terraform]
    .map(({ path, name }) => [path.slice(path.indexOf('.') + 1), name] as const)
    .filter(([neutral, name]) => neutral !== name),
);
const neutralNames: ReadonlyMap<string, string> = new Map(
  [...wireNames].map(([neutral, name]) => [name, neutral]),
);

function renamed(attributes: WireAttributes, names: ReadonlyMap<string, string>): WireAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      names.get(name) ?? name,
      isRecord(value) ? renamed(value, names) : value,
    ]),
  );
}

/** The dialect of a document, by the names that only one of them has; `undefined` where it has none of these. */
export function dialectOf({ attributes }: Pick<ResourceObject, 'attributes'>): Dialect | undefined {
  const groups = [...nestedAttributes, ...permissionGroups].map((name) => attributes[name]);
  const names = new Set(
    [attributes, ...groups].flatMap((group) => (isRecord(group) ? Object.keys(group) : [])),
  );
  if ([...wireNames.keys()].some((name) => names.has(name))) return 'iac';
  return [...neutralNames.keys()].some((name) => names.has(name)) ? 'terraform' : undefined;
}
