import type { PermissionPath } from '../model/attribute-values.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../model/dialect.ts';
import { type DeclaredLayers, type Field, type LayerName, noLayers } from '../model/fields.ts';
import {
  accessLevels,
  onlyDialect,
  type PermissionGroup,
  permissionGroups,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import { listed, quote, suggestion } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import type { Declaration, Declarations } from './declarations.ts';
import { locateKey, locateValue } from './files/source.ts';
import type { Loading } from './problems.ts';
import type { RawGrant, RawRole } from './schema/language.ts';

const grantLevels: readonly string[] = [...accessLevels, 'none'];

/** Checks all roles, used or not. A role with the name of a level could never be used. */
export function checkRoles(roles: Declarations<RawRole>, loading: Loading): void {
  for (const [name, { value, location }] of roles) {
    if (grantLevels.includes(name))
      loading.problems.error('bad-value', `the role ${quote(name)} has the name of a level`, {
        at: location,
      });
    if (value) checkImpliedPermissions(value, value.access, { loading });
  }
}

/** A grant with its role put in: the level of the role, and both permissions, the grant's own first. */
export interface ResolvedGrant {
  /** A level, or `none`. Undefined where it was wrong. */
  readonly access: string | undefined;
  /** The mappings that hold permissions; the first one overrides the others. */
  readonly holders: readonly Holder[];
  /** The location of the level: in the role, if the grant names one. */
  readonly level: Pick<Field, 'layer' | 'location'>;
  readonly role?: NonNullable<DeclaredLayers['role']>;
}

/** Where a grant is: its address, and the mapping that holds it with its key there. */
interface GrantPlace {
  readonly address: string;
  readonly container: object;
  readonly key: string;
}

/** Resolves the level or role that a grant names. An unknown one is reported. */
export function resolveRole(
  grant: RawGrant,
  { address, container, key }: GrantPlace,
  { roles, loading }: { readonly roles: Declarations<RawRole>; readonly loading: Loading },
): ResolvedGrant {
  const { origins, problems } = loading;
  const isLevel = typeof grant === 'string';
  const written = isLevel ? grant : grant.access;
  const [levelHolder, levelKey] = isLevel ? [container, key] : [grant, 'access'];
  const holders: readonly Holder[] = isLevel ? [] : [{ layer: 'grant', mapping: grant }];
  const level = { layer: 'grant', location: locateKey(origins, levelHolder, levelKey) } as const;
  if (written === undefined || grantLevels.includes(written)) return { access: written, holders, level };
  const role = roles.get(written);
  if (role) {
    const { value, location } = role;
    const named = { name: written, location };
    if (value === undefined) return { access: undefined, holders, level, role: named };
    const layer = `role.${written}` as const;
    return {
      access: value.access,
      holders: [...holders, { layer, mapping: value }],
      level: { layer, location: locateKey(origins, value, 'access') },
      role: named,
    };
  }
  if (!loading.incomplete)
    problems.error(
      'bad-value',
      `${quote(levelKey)} cannot be ${quote(written)}: it is neither a level nor a role`,
      {
        at: { address, location: locateValue(origins, levelHolder, levelKey) },
        hint: () =>
          suggestion(written, [...grantLevels, ...roles.keys()]) ?? `levels are ${listed(grantLevels)}`,
      },
    );
  return { access: undefined, holders: [], level };
}

/** The level and the permissions of a role. */
export function roleLayers(
  name: string,
  { value, location }: Declaration<RawRole>,
  loading: Loading,
): DeclaredLayers {
  const fields = new Map<string, Field>();
  if (value?.access !== undefined) {
    const layer = `role.${name}` as const;
    const at = { layer, location: locateKey(loading.origins, value, 'access') };
    fields.set('access', { value: value.access, raw: value.access, ...at });
    for (const [path, field] of permissionFields([{ layer, mapping: value }], loading))
      fields.set(path, field);
  }
  return { ...noLayers, fields, location, extends: [] };
}

/** A mapping that holds permissions, and its layer. */
interface Holder {
  readonly layer: LayerName;
  readonly mapping: Exclude<RawGrant, string>;
}

/** The permissions that the mappings name. The first mapping overrides the others. */
export function permissionFields(
  holders: readonly Holder[],
  { origins }: Pick<Loading, 'origins'>,
): ReadonlyMap<PermissionPath, Field> {
  return new Map(
    permissionPaths.flatMap((path) => {
      const [group, key = ''] = path.split('.') as [PermissionGroup, string?];
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
    const only = onlyDialect(path);
    const found = dialectProblem(
      path,
      { only, dialect: target.dialect },
      { address: target.address, location },
    );
    if (found) target.loading.problems.add(found);
  }
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
    loading.problems.error(
      'exclusive-settings',
      `"${group}" requires access: custom, but access is ${access}`,
      { at: { address, location: locateKey(loading.origins, holder, group) } },
    );
  }
}
