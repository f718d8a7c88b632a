import type { TeamFacts } from '../live/access-facts.ts';
import { useTokenThatReadsAccess } from '../live/kinds.ts';
import type { Live } from '../live/read-live.ts';
import { ifListed, type NamedId, NoLookUpError } from '../live/read-names.ts';
import type { PermissionPath } from '../model/attribute-values.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, DiagnosticsError, note } from '../model/diagnostic.ts';
import {
  type Permission,
  type Permissions,
  permissionPaths,
  permissions as permissionTable,
} from '../model/permissions.ts';
import type { AccessRight, TeamAccessRow } from '../model/results.ts';
import { isPlaceholder, isUncreatedProject, resourcesOf } from '../model/state.ts';
import { hintAt } from '../model/text.ts';
import { compareTexts, groupBy, noneIfEmpty } from '../model/value.ts';
import { resolveProjects } from '../resolve/look-up-names.ts';
import { isHidden, isNotFound } from '../service/service-error.ts';
import { type Access, accessIn, knownOf, levelOf, type Right, samePermissions } from './access.ts';
import { labelsOf, type RowLabels } from './row-labels.ts';
import { type Answered, type Asked, declaredHint, findCalled, readState, withIds } from './state-answer.ts';

export async function teamAnswer(given: Asked): Promise<Answered> {
  const asked = { ...given, files: await resolved(given) };
  const { question, declared, organization, files, reader, cwd } = asked;
  const home = question.workspace === undefined ? undefined : await homeOf(question.workspace, asked);
  const namedProjects = new Map<string, NamedId>();
  const projectNames = async () => {
    const found = await reader.source.names(organization, 'projects');
    for (const one of found) namedProjects.set(one.id, one);
    return found;
  };
  const projects = home?.projects ?? (await askedProjects(asked, projectNames));
  const teams = await reader.source.access?.teams(organization);
  if (teams === undefined && !home) await checkOrganization(asked);
  // Whether the service deletes a project depends on its workspaces, so its plan is not made.
  const deleted = new Map(
    resourcesOf(files.desired.resources.values(), 'project').flatMap(({ address, id, declared }) =>
      declared?.absent ? [[address, id]] : [],
    ),
  );
  const { live, access: planned } = await readState(
    { ...asked, reader: { ...reader, dialect: reader.dialect ?? home?.dialect } },
    {
      chosen: (address) => isOfTeams(address) && !deleted.has(address),
      projects: projects.filter((id) => !isUncreatedProject(id)),
    },
  );
  const removed = declared ? new Set(deleted.values()) : new Set();
  const created = question.project === undefined && !home ? createdIn(planned) : [];
  const ids = [...new Set([...projects.filter((id) => !removed.has(id)), ...created])];
  const isUnnamed = (id: string) => labelsOf(files, {}, '').project(id) === id;
  if (namedProjects.size === 0 && ids.some((id) => isUnnamed(id) && !isUncreatedProject(id)))
    await ifListed(projectNames());
  const labels = labelsOf(files, { projects: [...namedProjects.values()], teams }, cwd);
  const access = accessIn(planned.resources, { ...knownOf(live), teams });
  const team = question.team === undefined ? undefined : teamCalled(question.team, asked, access, teams);
  const unread = ids.filter((id) => !access.hasGrants(id)).map(labels.project);
  return {
    rows: teamRows(access, { projects: ids, teams, team, labels }),
    diagnostics: unread.length === 0 ? [] : [accessUnread(unread, live)],
  };
}

function accessUnread(projects: readonly string[], { missing }: Live): Diagnostic {
  const isOffered = !missing.includes('team-access');
  const why = isOffered ? 'this token may not read it' : 'this service does not offer it';
  return note('access-unread', `the team access of ${projects.join(', ')} is unknown: ${why}`, {
    hint: isOffered ? useTokenThatReadsAccess : undefined,
  });
}

function createdIn({ resources, projects }: Access): readonly string[] {
  const managed = resourcesOf(resources, 'project').map(({ id = '' }) => id);
  return [...projects, ...managed].filter(isUncreatedProject);
}

/**
 * A service answers for teams of an organization that does not exist as for teams that a token may not see. The list of
 * workspaces shows which it is.
 *
 * @throws {ServiceError} if the service has no workspaces of the organization.
 */
async function checkOrganization({ organization, reader }: Asked): Promise<void> {
  try {
    await reader.source.countWorkspaces(organization, undefined);
  } catch (error) {
    if (!isHidden(error) || isNotFound(error)) throw error;
  }
}

function isOfTeams(address: string): boolean {
  return /^(team-access|project)\./.test(address);
}

/** The files with ids. A live answer needs them for places only, so that a name in the files that nothing has does not matter. */
async function resolved(asked: Asked): Promise<Configuration> {
  try {
    return await withIds(asked, isOfTeams, asked.declared ? ['project'] : []);
  } catch (error) {
    const isUnresolved = error instanceof DiagnosticsError || error instanceof NoLookUpError;
    if (asked.declared || !isUnresolved) throw error;
    return asked.files;
  }
}

async function homeOf(name: string, asked: Asked) {
  const { row, state } = await findCalled(name, asked, { lists: 'none' });
  const { project } = row.owner.attributes;
  return { projects: project === undefined ? [] : [project], dialect: state.live.dialect };
}

async function askedProjects(
  { question: { project }, declared, organization, files }: Asked,
  names: () => Promise<readonly NamedId[]>,
): Promise<readonly string[]> {
  if (project === undefined) {
    const known = [...files.grantProjects.keys(), ...files.aliases.projects.values()];
    const listed = await ifListed(names());
    return listed?.map(({ id }) => id) ?? [...new Set(known.filter((id) => !isPlaceholder(id)))];
  }
  const ids = await resolveProjects([project], files, names, '--project');
  if (declared || !ids.some(isUncreatedProject)) return ids;
  throw new AttuneError(`--project ${project}: declared, but not in organization ${organization}`, {
    code: 'unknown-name',
    hint: declaredHint,
  });
}

function teamCalled(written: string, asked: Asked, access: Access, teams: readonly TeamFacts[] = []): string {
  const { files, organization } = asked;
  const { resources } = access;
  const labels = labelsOf(files, { teams }, '');
  const ids = [
    ...files.aliases.teams.values(),
    ...teams.map(({ id }) => id),
    ...resourcesOf(resources, 'team-access').map(({ attributes }) => attributes.team),
  ];
  const isCalled = (id: string) =>
    [id, labels.team(id)].includes(written) || labels.team(id) === `${written} (${id})`;
  const found = ids.find(isCalled) ?? teams.find(({ name }) => name === written)?.id;
  if (found !== undefined) return found;
  const known = new Set([...ids.map(labels.team), ...teams.map(({ name }) => name)]);
  throw new AttuneError(`--team ${written}: unknown team in organization ${organization}`, {
    code: 'unknown-name',
    hint: hintAt(written, known, 'use an alias, the exact name, or the id (team-...)'),
  });
}

interface TeamRowsInput {
  readonly projects: readonly string[];
  readonly teams: readonly TeamFacts[] | undefined;
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
  const ofProjects = byProject.flatMap(([, ofProject]) => ofProject);
  return isHidden ? [...ofProjects, unknownRow('organization-permission', input)] : ofProjects;
}

/** A right that may exist: what shows it could not be read. */
function unknownRow(source: AccessRight['source'], { team, projects, labels }: TeamRowsInput): TeamAccessRow {
  const [only, ...others] = projects;
  return {
    team: team === undefined ? '*' : labels.team(team),
    teamId: team,
    project: only !== undefined && others.length === 0 ? labels.project(only) : '*',
    level: 'unknown',
    source,
    runs: 'unknown',
    variables: 'unknown',
    state: 'unknown',
    permissions: {},
  };
}

function shownRight({ level, grant, permission }: Right, labels: RowLabels): AccessRight {
  if (grant === undefined) return { level, source: 'organization-permission', permission };
  const declaration = labels.grant(grant);
  return { level, source: declaration.role === undefined ? 'grant' : 'role', ...declaration };
}

/** A grant has the permissions that no level is documented to imply, as the service returned them. */
function permissionsOf({ permissions: implied, grant }: Right): Permissions {
  if (grant === undefined) return implied;
  const paths = permissionPaths.filter(
    (path) => permissionTable[path].only && grant.attributes[path] !== undefined,
  );
  return { ...implied, ...Object.fromEntries(paths.map((path) => [path, grant.attributes[path]])) };
}

/** The right that permits the most comes first; a grant, if it permits as much as another one. */
function together(rights: readonly Right[], labels: RowLabels) {
  const permissions = union(rights.map(permissionsOf));
  const whole = rights.find((right) => samePermissions(right.permissions, permissions));
  const first = whole ?? (rights[0] as Right);
  const also = rights.filter((right) => right !== first).map((right) => shownRight(right, labels));
  const value = (path: PermissionPath) => permissions[path] ?? 'unknown';
  return {
    ...shownRight(first, labels),
    level: whole?.level ?? levelOf(permissions),
    runs: value('workspace-access.runs'),
    variables: value('workspace-access.variables'),
    state: value('workspace-access.state-versions'),
    permissions,
    also: noneIfEmpty(also),
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
