import type { SourceLocation } from '../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../model/dialect.ts';
import {
  onlyDialect,
  type PermissionPath,
  permissionGroups,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import type { Value } from '../model/value.ts';
import type { Field, LayerName } from './fields.ts';
import { locateKey } from './files/source.ts';
import type { Loading } from './problems.ts';
import type { RawGrant } from './schema/language.ts';

/** A mapping that holds permissions, and its layer. */
export interface Holder {
  readonly layer: LayerName;
  readonly mapping: Exclude<RawGrant, string>;
}

/** The permissions that the mappings name. The first mapping overrides the others. */
export function permissionFields(
  holders: readonly Holder[],
  { origins }: Pick<Loading, 'origins'>,
): ReadonlyMap<PermissionPath, Field> {
  if (holders.length === 0) return new Map();
  return new Map(
    permissionPaths.flatMap((path) => {
      const [group, key] = splitPath(path);
      const fields = holders.flatMap(({ layer, mapping }): Field[] => {
        const permissionsOf = mapping[group];
        const value = permissionsOf?.[key];
        if (permissionsOf === undefined || value === undefined) return [];
        return [{ value, raw: value, location: locateKey(origins, permissionsOf, key), layer }];
      });
      const [highest, ...lower] = fields;
      return highest ? [[path, { ...highest, lower: lower.reverse() }] as const] : [];
    }),
  );
}

/** All permissions, unnamed ones with the least: so that a removed line revokes the permission. */
export function addPermissions(
  named: ReadonlyMap<PermissionPath, Field>,
  target: {
    readonly address: string;
    readonly attributes: Record<string, Value>;
    readonly locations: Record<string, SourceLocation>;
    readonly loading: Loading;
    readonly dialect: Dialect | undefined;
  },
): void {
  for (const path of permissionPaths) {
    const field = named.get(path);
    target.attributes[path] = field?.value ?? permissions[path].customDefault;
    if (!field) continue;
    const { location } = field;
    target.locations[path] = location;
    const problem = dialectProblem(path, onlyDialect(path), target.dialect);
    if (problem) target.loading.problems.add({ ...problem, address: target.address, location });
  }
}

function splitPath(path: PermissionPath): [(typeof permissionGroups)[number], string] {
  const [group, key] = path.split('.');
  return [group as (typeof permissionGroups)[number], key ?? ''];
}

/** Reports single permissions beside a level that implies them. */
export function checkImpliedPermissions(
  holder: Holder['mapping'],
  access: string | undefined,
  { address, loading }: { readonly address?: string; readonly loading: Loading },
): void {
  if (access === undefined || access === 'custom') return;
  for (const group of permissionGroups) {
    if (!Object.hasOwn(holder, group)) continue;
    loading.problems.add({
      code: 'permissions-without-custom',
      message: `"${group}" requires access: custom, but access is ${access}`,
      hint: 'write access: custom, or remove the permissions: the level implies them',
      address,
      location: locateKey(loading.origins, holder, group),
    });
  }
}
