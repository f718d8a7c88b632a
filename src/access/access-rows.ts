import type { TeamFacts } from '../live/access-facts.ts';
import {
  type AccessRight,
  type StateAccessRow,
  type TeamAccessRow,
  unknownValue,
} from '../model/access-result.ts';
import { sharingOf, sharingSwitchOf } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import {
  fixedLevels,
  impliedPermissions,
  onlyDialect,
  organizationPermissions,
  type Permission,
  type PermissionPath,
  type Permissions,
  permissionPaths,
  permissions as permissionTable,
} from '../model/permissions.ts';
import type { GrantResource, WorkspaceResource } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { grantState } from './overview.ts';

/** Names and places that rows show. */
export interface RowLabels {
  project(id: string): string;
  team(id: string): string;
  workspace(id: string): string;
  /** The declaration of a grant, and the role that it names if the grant is as declared. */
  grant(grant: GrantResource): { readonly location?: SourceLocation; readonly role?: string };
  /** The declaration of what shares the state of a workspace, by its name; for a list, that of the reader's entry. */
  sharing(
    owner: string,
    source: StateAccessRow['source'],
    reader?: readonly (string | undefined)[],
  ): SourceLocation | undefined;
}

export interface TeamRowsInput {
  /** The ids of the projects in question. */
  readonly projects: readonly string[];
  /** Those whose grants could not be read. */
  readonly unread: ReadonlySet<string>;
  readonly grants: readonly GrantResource[];
  /** All teams; undefined if the service does not list them. */
  readonly teams: readonly TeamFacts[] | undefined;
  /** The id of the only team in question. */
  readonly team?: string | undefined;
  readonly labels: RowLabels;
}

interface Right extends AccessRight {
  readonly level: TeamAccessRow['level'];
  readonly permissions: Permissions;
}

/** The access of each team to each project, with all of its rights together, by project and team. */
export function teamRows(input: TeamRowsInput): readonly TeamAccessRow[] {
  const { projects, unread, teams, team, labels } = input;
  const grants = groupBy(
    input.grants.filter(({ attributes }) => team === undefined || attributes.team === team),
    ({ attributes }) => attributes.project,
  );
  const asked = (teams ?? []).filter(({ id }) => team === undefined || id === team);
  const general = new Map(asked.map((facts) => [facts.id, organizationRights(facts)]));
  const rows = projects.flatMap((project) => {
    const granted = new Map((grants.get(project) ?? []).map((grant) => [grant.attributes.team, grant]));
    const ids = [...new Set([...granted.keys(), ...general.keys()])];
    const named = { project: labels.project(project), projectId: project };
    const known = ids.flatMap((id): TeamAccessRow[] => {
      const grant = granted.get(id);
      const rights = [...(grant ? [grantRight(grant, labels)] : []), ...(general.get(id) ?? [])];
      return rights.length === 0
        ? []
        : [{ team: labels.team(id), teamId: id, ...named, ...together(rights) }];
    });
    const hidden = unread.has(project) ? [{ ...unknownRow('grant', input), ...named }] : [];
    return [...known.sort((a, b) => (a.team < b.team ? -1 : 1)), ...hidden];
  });
  const byProject = [...groupBy(rows, ({ project }) => project)].sort(([a], [b]) => (a < b ? -1 : 1));
  const isHidden = teams === undefined || asked.some(({ organizationAccess }) => !organizationAccess);
  return [
    ...byProject.flatMap(([, ofProject]) => ofProject),
    ...(isHidden ? [unknownRow('organization-permission', input)] : []),
  ];
}

/** A right that may exist: what shows it could not be read. */
function unknownRow(
  source: AccessRight['source'],
  { team, projects, labels }: Pick<TeamRowsInput, 'team' | 'projects' | 'labels'>,
): TeamAccessRow {
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

function grantRight(grant: GrantResource, labels: RowLabels): Right {
  const { access, permissions } = grantState(grant.attributes);
  const { location, role } = labels.grant(grant);
  return {
    level: access as Right['level'],
    source: role === undefined ? 'grant' : 'role',
    ...(role !== undefined && { role }),
    ...(location && { location }),
    permissions: { ...permissions, ...returned(grant) },
  };
}

/** Permissions that no level is documented to imply, as the service returned them. */
function returned({ attributes }: GrantResource): Permissions {
  const returnedPaths = permissionPaths.filter((path) => onlyDialect(path) && attributes[path] !== undefined);
  return Object.fromEntries(returnedPaths.map((path) => [path, attributes[path]])) as Permissions;
}

function organizationRights({ organizationAccess = [] }: TeamFacts): readonly Right[] {
  return [...organizationPermissions].flatMap(([permission, permissions]): Right[] =>
    organizationAccess.includes(permission)
      ? [{ level: levelOf(permissions), source: 'organization-permission', permission, permissions }]
      : [],
  );
}

/** The right that permits the most comes first; a grant, if it permits as much as another one. */
function together(
  rights: readonly Right[],
): Omit<TeamAccessRow, 'team' | 'teamId' | 'project' | 'projectId'> {
  const permissions = union(rights.map((right) => right.permissions));
  const whole = rights.find((right) => isSame(right.permissions, permissions));
  const first = whole ?? (rights[0] as Right);
  const also = rights
    .filter((right) => right !== first)
    .map(({ permissions: _permissions, ...right }): AccessRight => right);
  const value = (path: PermissionPath) => permissions[path] ?? unknownValue;
  return {
    ...withoutPermissions(first),
    level: whole?.level ?? levelOf(permissions),
    runs: value('workspace-access.runs'),
    variables: value('workspace-access.variables'),
    state: value('workspace-access.state-versions'),
    permissions,
    ...(also.length > 0 && { also }),
  };
}

function withoutPermissions({ permissions: _permissions, ...right }: Right): AccessRight {
  return right;
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

/** Compares what every level is documented to imply. */
function isSame(one: Permissions, other: Permissions): boolean {
  return permissionPaths.every((path) => onlyDialect(path) !== undefined || one[path] === other[path]);
}

function levelOf(permissions: Permissions): Right['level'] {
  return fixedLevels.find((level) => isSame(impliedPermissions(level), permissions)) ?? 'custom';
}

/** What shares the state of a workspace: a switch, or its list. */
export function sharingSourceOf({ attributes }: WorkspaceResource): StateAccessRow['source'] {
  return sharingSwitchOf(attributes) ?? 'remote-state-consumers';
}

interface StateRowsInput {
  /** The workspaces that were read. */
  readonly workspaces: readonly WorkspaceResource[];
  /** Projects of workspaces that only a list of consumers shows, by id. */
  readonly homes: ReadonlyMap<string, string>;
  readonly labels: RowLabels;
}

/** The workspaces that can read the state of one. */
export function readersOfState(
  owner: WorkspaceResource,
  { workspaces, homes, labels }: StateRowsInput,
): readonly StateAccessRow[] {
  const source = sharingSourceOf(owner);
  const sharing = sharingOf(owner.attributes);
  const row = (workspace: string, project: unknown, reader: readonly string[] = []): StateAccessRow => ({
    workspace,
    project: workspace === '*' ? null : shownProject(project, labels),
    via: sharing.to,
    source,
    ...located(labels.sharing(owner.name, source, reader)),
  });
  if (sharing.to === 'project') {
    const { project } = owner.attributes;
    const members = workspaces.filter(
      ({ name, attributes }) => name !== owner.name && attributes.project === project,
    );
    return members.map(({ name }) => row(name, project)).sort(byWorkspace);
  }
  if (sharing.to !== 'list') return [row('*', undefined)];
  // A new workspace has no id yet.
  const known = new Map(workspaces.map(({ name, attributes }) => [name, attributes.project]));
  return sharing.ids
    .map((id) =>
      row(labels.workspace(id), known.get(labels.workspace(id)) ?? homes.get(id), [labels.workspace(id), id]),
    )
    .filter(({ workspace }) => workspace !== owner.name)
    .sort(byWorkspace);
}

/** The workspaces whose state one can read. */
export function statesReadBy(
  reader: WorkspaceResource,
  { workspaces, labels }: StateRowsInput,
): readonly StateAccessRow[] {
  return workspaces
    .filter(({ name }) => name !== reader.name)
    .flatMap((owner): StateAccessRow[] => {
      const source = sharingSourceOf(owner);
      const sharing = sharingOf(owner.attributes);
      const { project } = owner.attributes;
      if (sharing.to === 'project' && project !== reader.attributes.project) return [];
      if (sharing.to === 'list' && !sharing.ids.some((id) => labels.workspace(id) === reader.name)) return [];
      return [
        {
          workspace: owner.name,
          project: shownProject(project, labels),
          via: sharing.to,
          source,
          ...located(labels.sharing(owner.name, source, [reader.name, reader.id])),
        },
      ];
    })
    .sort(byWorkspace);
}

function shownProject(project: unknown, labels: RowLabels): string {
  return typeof project === 'string' ? labels.project(project) : unknownValue;
}

function byWorkspace(a: StateAccessRow, b: StateAccessRow): number {
  return a.workspace < b.workspace ? -1 : 1;
}

function located(location: SourceLocation | undefined): { readonly location?: SourceLocation } {
  return location ? { location } : {};
}
