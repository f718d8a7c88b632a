import { accessLevels } from '../model/permissions.ts';
import type { Declaration, Declarations } from './declarations.ts';
import { type DeclaredLayers, type Field, noLayers } from './fields.ts';
import { locateKey, locateValue } from './files/source.ts';
import { checkImpliedPermissions, type Holder, permissionFields } from './grant-permissions.ts';
import type { Loading } from './problems.ts';
import type { RawGrant, RawRole } from './schema/language.ts';
import { listed, quote, suggestion } from './text.ts';

export const grantLevels: readonly string[] = [...accessLevels, 'none'];

/** Checks all roles, used or not. A role with the name of a level could never be used. */
export function checkRoles(roles: Declarations<RawRole>, loading: Loading): void {
  for (const [name, { value, location }] of roles) {
    if (grantLevels.includes(name))
      loading.problems.add({
        code: 'role-name',
        message: `the role ${quote(name)} has the name of a level`,
        hint: `rename it: ${listed(grantLevels).replace(' or ', ' and ')} are levels`,
        location,
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

/** Resolves the level or role that a grant names. An unknown one is reported. */
export function resolveRole(
  grant: RawGrant,
  roles: Declarations<RawRole>,
  { loading, address, container, key }: RoleContext,
): ResolvedGrant {
  const isLevel = typeof grant === 'string';
  const written = isLevel ? grant : grant.access;
  const own: readonly Holder[] = isLevel ? [] : [{ layer: 'grant', mapping: grant }];
  const level: ResolvedGrant['level'] = {
    layer: 'grant',
    location: isLevel
      ? locateKey(loading.origins, container, key)
      : locateKey(loading.origins, grant, 'access'),
  };
  if (written === undefined || grantLevels.includes(written)) return { access: written, holders: own, level };
  const role = roles.get(written);
  if (role) {
    const { value, location } = role;
    const named = { name: written, location };
    if (value === undefined) return { access: undefined, holders: own, level, role: named };
    const holder = { layer: `role.${written}`, mapping: value } as const;
    return {
      access: value.access,
      holders: [...own, holder],
      level: { layer: holder.layer, location: locateKey(loading.origins, value, 'access') },
      role: named,
    };
  }
  if (!loading.incomplete)
    loading.problems.add({
      code: 'bad-value',
      message: `${quote(typeof grant === 'string' ? key : 'access')} cannot be ${quote(written)}: it is neither a level nor a role`,
      hint: () =>
        suggestion(written, [...grantLevels, ...roles.keys()]) ?? `levels are ${listed(grantLevels)}`,
      address,
      location:
        typeof grant === 'string'
          ? locateValue(loading.origins, container, key)
          : locateValue(loading.origins, grant, 'access'),
    });
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

export interface RoleContext {
  readonly loading: Loading;
  readonly address: string;
  /** The mapping that holds the grant, and its key there. */
  readonly container: object;
  readonly key: string;
}
