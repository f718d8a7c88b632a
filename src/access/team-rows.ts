import type { TeamFacts } from '../live/access-facts.ts';
import type { PermissionPath } from '../model/attribute-values.ts';
import {
  type Permission,
  type Permissions,
  permissionPaths,
  permissions,
  permissions as permissionTable,
} from '../model/permissions.ts';
import { type AccessRight, type TeamAccessRow, unknownValue } from '../model/results.ts';
import { compareTexts, groupBy } from '../model/value.ts';
import { type Access, levelOf, type Right, samePermissions } from './access.ts';
import type { RowLabels } from './row-labels.ts';

interface TeamRowsInput {
  /** The ids of the projects in question. */
  readonly projects: readonly string[];
  /** All teams; undefined if the service does not list them. */
  readonly teams: readonly TeamFacts[] | undefined;
  /** The id of the only team in question. */
  readonly team: string | undefined;
  readonly labels: RowLabels;
}

/** The access of each team to each project, with all of its rights together, by project and team; what could not be read last. */
export function teamRows(access: Access, input: TeamRowsInput): readonly TeamAccessRow[] {
  const { projects, teams, team, labels } = input;
  const isAsked = (id: string) => team === undefined || id === team;
  const rows = projects.flatMap((projectId) => {
    const named = { project: labels.project(projectId), projectId };
    const known = [...access.rightsIn(projectId)]
      .filter(([id]) => isAsked(id))
      .map(([id, rights]) => ({ team: labels.team(id), teamId: id, ...named, ...together(rights, labels) }));
    const hidden = access.hasGrants(projectId) ? [] : [{ ...unknownRow('grant', input), ...named }];
    return [...known.sort((a, b) => compareTexts(a.team, b.team)), ...hidden];
  });
  const byProject = [...groupBy(rows, ({ project }) => project)].sort(([a], [b]) => compareTexts(a, b));
  const isHidden = teams?.some(({ id, organizationAccess }) => isAsked(id) && !organizationAccess) ?? true;
  return [
    ...byProject.flatMap(([, ofProject]) => ofProject),
    ...(isHidden ? [unknownRow('organization-permission', input)] : []),
  ];
}

/** A right that may exist: what shows it could not be read. */
function unknownRow(source: AccessRight['source'], { team, projects, labels }: TeamRowsInput): TeamAccessRow {
  const [only, ...others] = projects;
  return {
    team: team === undefined ? '*' : labels.team(team),
    ...(team !== undefined && { teamId: team }),
    project: only !== undefined && others.length === 0 ? labels.project(only) : '*',
    level: unknownValue,
    source,
    runs: unknownValue,
    variables: unknownValue,
    state: unknownValue,
    permissions: {},
  };
}

function shownRight({ level, grant, permission }: Right, labels: RowLabels): AccessRight {
  if (grant === undefined)
    return { level, source: 'organization-permission', ...(permission && { permission }) };
  const { location, role } = labels.grant(grant);
  return {
    level,
    source: role === undefined ? 'grant' : 'role',
    ...(role !== undefined && { role }),
    ...(location && { location }),
  };
}

/** A grant has the permissions that no level is documented to imply, as the service returned them. */
function permissionsOf({ permissions: implied, grant }: Right): Permissions {
  if (grant === undefined) return implied;
  const paths = permissionPaths.filter(
    (path) => permissions[path].only && grant.attributes[path] !== undefined,
  );
  return { ...implied, ...Object.fromEntries(paths.map((path) => [path, grant.attributes[path]])) };
}

/** The right that permits the most comes first; a grant, if it permits as much as another one. */
function together(rights: readonly Right[], labels: RowLabels) {
  const permissions = union(rights.map(permissionsOf));
  const whole = rights.find((right) => samePermissions(right.permissions, permissions));
  const first = whole ?? (rights[0] as Right);
  const also = rights.filter((right) => right !== first).map((right) => shownRight(right, labels));
  const value = (path: PermissionPath) => permissions[path] ?? unknownValue;
  return {
    ...shownRight(first, labels),
    level: whole?.level ?? levelOf(permissions),
    runs: value('workspace-access.runs'),
    variables: value('workspace-access.variables'),
    state: value('workspace-access.state-versions'),
    permissions,
    ...(also.length > 0 && { also }),
  };
}

function union(all: readonly Permissions[]): Permissions {
  return Object.fromEntries(
    permissionPaths.flatMap((path) => {
      const order: readonly Permission[] = permissionTable[path].values;
      const values = all.flatMap((one) => one[path] ?? []);
      const most = values.sort((a, b) => order.indexOf(b) - order.indexOf(a))[0];
      return most === undefined ? [] : [[path, most] as const];
    }),
  );
}
