import type { JournaledChange } from '../apply/journal/parse-journal.ts';
import { permissionPaths, permissions } from '../model/permissions.ts';
import type { GrantResource } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { leftAlone, nothingToRevert, type RevertContext, type Reverted } from './revert.ts';

/** A grant is reverted as a whole: restoring only some permissions would give a level that was never declared. */
export function revertGrant(change: JournaledChange, { touched }: RevertContext): Reverted {
  const { before, address, name, calls } = change;
  const project = String(before.project);
  const team = String(before.team);
  const live = touched.grants.get(`${project}/${team}`)?.attributes;
  const written = Object.assign({}, ...calls.map((call) => call.written.values));
  const was = before.exists === true ? grantValues(before) : undefined;
  const left = change.action === 'delete' ? undefined : grantValues({ ...before, ...written });
  const now = live && grantValues(live);
  if (sameGrant(was, now)) return nothingToRevert;
  if (!sameGrant(left, now)) {
    return leftAlone(change, movedHow(left, now));
  }
  const resource: GrantResource = {
    kind: 'team-access',
    address,
    name,
    attributes: { project, team, ...was },
    ...(was === undefined && { declared: { absent: 'safe' as const } }),
  };
  return { resources: [resource], diagnostics: [] };
}

/** A level other than `custom` fixes its permissions, so only the level is compared. */
function grantValues(values: Values): Record<string, Value> {
  const { access = null } = values;
  if (access !== 'custom') return { access };
  // An omitted permission, and one that the service does not have, has its default value.
  const effective = permissionPaths.map((path) => [path, values[path] ?? permissions[path].customDefault]);
  return { access, ...Object.fromEntries(effective) };
}

function sameGrant(a: Values | undefined, b: Values | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function movedHow(left: Values | undefined, now: Values | undefined): string {
  const permissions = left?.access === now?.access ? ' with other permissions' : '';
  return `the run set ${shown(left)}, but it is now ${shown(now)}${permissions}`;
}

function shown(grant: Values | undefined): string {
  return grant === undefined ? 'no access' : String(grant.access);
}
