import type { Dialect } from '../../model/dialect.ts';
import { permissionGroups, permissionPathsOf, permissionWireName } from '../../model/permissions.ts';
import { grantedPermission } from '../rules/grant-permissions.ts';
import type { GrantRecord } from '../store/records.ts';

/** A team's access to a project, with what its level implies (interface, section 2.4). */
export function teamProjectJson(grant: GrantRecord, dialect: Dialect): string {
  const groups = permissionGroups.map((group) => {
    const paths = permissionPathsOf(dialect).filter((path) => path.startsWith(`${group}.`));
    const entries = paths.map((path) => [permissionWireName(path, dialect), grantedPermission(grant, path)]);
    return [group, Object.fromEntries(entries)];
  });
  return JSON.stringify({
    id: grant.id,
    type: 'team-projects',
    attributes: { access: grant.access, ...Object.fromEntries(groups) },
    relationships: {
      team: { data: { id: grant.team, type: 'teams' }, links: { related: `/api/v2/teams/${grant.team}` } },
      project: {
        data: { id: grant.project, type: 'projects' },
        links: { related: `/api/v2/projects/${grant.project}` },
      },
    },
    links: { self: `/api/v2/team-projects/${grant.id}` },
  });
}
