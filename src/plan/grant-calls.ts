import type { GrantChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths } from '../model/permissions.ts';
import type { Call } from '../model/plan.ts';
import type { Values } from '../model/value.ts';
import { callTo } from './operation-endpoints.ts';

/** The call that makes a change of a grant (interface, section 4.9). */
export function grantCalls(change: GrantChange, dialect: Dialect): Call[] {
  const grant = { id: change.live?.id ?? '' };
  const { project = null, team = null }: Values = change.target?.attributes ?? {};
  switch (change.action) {
    case 'delete':
      return [callTo('deleteGrant', grant)];
    case 'update':
      return [callTo('updateGrant', grant, { values: accessOf(change) }, dialect)];
    case 'create':
      return [callTo('createGrant', {}, { values: { project, team, ...accessOf(change) } }, dialect)];
    default:
      return change.action satisfies never;
  }
}

/** The access level is always sent, even if only permissions under `custom` differ. */
function accessOf({ action, fields, target }: GrantChange): Values {
  const { access = null, ...permissions }: Values = target?.attributes ?? {};
  if (access !== 'custom') return { access };
  const changed = new Set(fields.map((field) => field.path));
  // The permissions that a service keeps from the former level are not documented, so a new `custom` sends all of them.
  const sendsAll = action === 'create' || changed.has('access');
  const sent = permissionPaths.flatMap((path) => {
    const value = permissions[path];
    return value === undefined || !(sendsAll || changed.has(path)) ? [] : [[path, value] as const];
  });
  return { access, ...Object.fromEntries(sent) };
}
