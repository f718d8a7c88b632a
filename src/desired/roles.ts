import { accessLevels } from '../model/permissions.ts';
import type { Declarations } from './declarations.ts';
import type { RawGrant, RawRole } from './files/raw-file.ts';
import { locateValue } from './files/source.ts';
import { checkPermissions } from './grant-permissions.ts';
import type { Loading } from './problems.ts';
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
    if (value) checkPermissions(value, value.access, { loading });
  }
}

/** A grant with its role put in: the level of the role, and both permissions, the grant's own first. */
export interface ResolvedGrant {
  /** A level, or `none`. Undefined where it was wrong. */
  readonly access: string | undefined;
  /** The mappings that hold permissions, the first wins. */
  readonly holders: readonly Exclude<RawGrant, string>[];
}

/** Resolves the level or role that a grant names. An unknown one is reported. */
export function resolveRole(
  grant: RawGrant,
  roles: Declarations<RawRole>,
  { loading, address, container, key }: RoleContext,
): ResolvedGrant {
  const written = typeof grant === 'string' ? grant : grant.access;
  const own = typeof grant === 'string' ? [] : [grant];
  if (written === undefined || grantLevels.includes(written)) return { access: written, holders: own };
  const role = roles.get(written);
  if (role) return { access: role.value?.access, holders: [...own, ...(role.value ? [role.value] : [])] };
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
  return { access: undefined, holders: [] };
}

export interface RoleContext {
  readonly loading: Loading;
  readonly address: string;
  /** The mapping that holds the grant, and its key there. */
  readonly container: object;
  readonly key: string;
}
