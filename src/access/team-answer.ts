import type { LiveQuery } from '../live/live-query.ts';
import { ifListed, type NamedId, NoLookUpError } from '../live/read-names.ts';
import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import {
  type GrantResource,
  isPlaceholder,
  isUncreatedProject,
  type ProjectResource,
  resourcesOf,
} from '../model/state.ts';
import { hintAt } from '../model/text.ts';
import { resolveProjects } from '../resolve/resolve-projects.ts';
import { isNotFound } from '../service/service-error.ts';
import { teamRows } from './access-rows.ts';
import {
  type AccessState,
  type Answered,
  type Asked,
  liveState,
  notLive,
  type StateNeed,
  stateAfterPlan,
  withIds,
} from './after-plan.ts';
import { labelsOf, namedProjects } from './row-labels.ts';
import { findWorkspaceCalled, isHidden } from './state-answer.ts';

/** What teams may do, by their grants and their permissions in the organization. */
export async function teamAnswer(given: Asked): Promise<Answered> {
  const asked = { ...given, configurations: await resolved(given) };
  const { question, declared, organization, configurations, reader, cwd } = asked;
  const inWorkspace = question.workspace === undefined ? undefined : await homeOf(question.workspace, asked);
  const listed = new Map<string, NamedId>();
  const projectNames = async () => {
    const found = await reader.source.names(organization, 'projects');
    for (const one of found) listed.set(one.id, one);
    return found;
  };
  const projects = inWorkspace?.projects ?? (await askedProjects(asked, projectNames));
  const teams = await reader.source.access?.teams(organization);
  const notes = teams === undefined && !inWorkspace ? await checkOrganization(asked) : [];
  const read = (ids: readonly string[]): Promise<AccessState> => {
    const dialect = reader.dialect ?? inWorkspace?.dialect;
    const from = dialect ? { ...reader, dialect } : reader;
    const need: StateNeed = {
      chosen: choiceIn(configurations),
      projects: ids.filter((id) => !isUncreatedProject(id)),
    };
    return declared ? stateAfterPlan(configurations, from, need) : liveState(organization, from, need);
  };
  const { grants, unread, created } = await readGrants(projects, read);
  const removed = new Set(declared ? deletedProjects(configurations).map(({ id }) => id) : []);
  const ids = [
    ...projects.filter((id) => !removed.has(id)),
    ...(question.project === undefined && inWorkspace === undefined ? created : []),
  ];
  const isUnnamed = (id: string) => labelsOf(configurations, {}, '').project(id) === id;
  if (listed.size === 0 && ids.some((id) => isUnnamed(id) && !isUncreatedProject(id)))
    await ifListed(projectNames());
  const known = { projects: [...listed.values()], ...(teams && { teams }) };
  const labels = labelsOf(configurations, known, cwd);
  const team = question.team === undefined ? undefined : teamCalled(question.team, asked, { teams, grants });
  return {
    rows: [
      ...teamRows({ projects: ids, unread, grants, teams, ...(team !== undefined && { team }), labels }),
    ],
    diagnostics: notes,
  };
}

/**
 * A service answers for teams of an organization that does not exist as for teams that a token may not see. The list of
 * workspaces shows which it is.
 *
 * @throws {ServiceError} if the service has no workspaces of the organization.
 */
async function checkOrganization({ organization, reader }: Asked): Promise<readonly Diagnostic[]> {
  if (!reader.source.access) return [];
  try {
    if ((await reader.source.countWorkspaces(organization, undefined)) > 0) return [];
    return (await liveState(organization, reader, { chosen: () => false, whole: true })).live.diagnostics;
  } catch (error) {
    if (isHidden(error) && !isNotFound(error)) return [];
    throw error;
  }
}

/** Grants and projects. Whether the service deletes a project depends on its workspaces, so its plan is not made. */
function choiceIn(configurations: readonly Configuration[]): StateNeed['chosen'] {
  const deleted = new Set(deletedProjects(configurations).map(({ address }) => address));
  return (address) => isOfTeams(address) && !deleted.has(address);
}

function isOfTeams(address: string): boolean {
  return /^(team-access|project)\./.test(address);
}

function deletedProjects(configurations: readonly Configuration[]): readonly ProjectResource[] {
  return configurations.flatMap(({ desired }) =>
    resourcesOf(desired.resources.values(), 'project').filter(({ declared }) => declared?.absent),
  );
}

/**
 * The configurations with ids. A live answer needs them for places only, so that a name in the files that nothing has does
 * not matter.
 */
async function resolved({ configurations, reader, declared }: Asked): Promise<readonly Configuration[]> {
  try {
    return await withIds(configurations, reader, isOfTeams, declared ? ['project'] : []);
  } catch (error) {
    const isUnresolved = error instanceof DiagnosticsError || error instanceof NoLookUpError;
    if (declared || !isUnresolved) throw error;
    return configurations;
  }
}

/** The project of a workspace. */
async function homeOf(
  name: string,
  asked: Asked,
): Promise<{ readonly projects: readonly string[]; readonly dialect: LiveQuery['dialect'] }> {
  const { state, workspace } = await findWorkspaceCalled(name, asked);
  const { project } = workspace.attributes;
  return { projects: project === undefined ? [] : [project], dialect: state.live.dialect };
}

/** The ids of the projects in question: one, or all that the service shows. */
async function askedProjects(
  { question, declared: isAfterPlan, named, organization, configurations }: Asked,
  names: () => Promise<readonly NamedId[]>,
): Promise<readonly string[]> {
  if (question.project !== undefined) {
    const ids = await resolveProjects(
      [question.project],
      withAliases(configurations),
      names,
      named('project'),
    );
    if (isAfterPlan || !ids.some(isUncreatedProject)) return ids;
    throw new AttuneError(
      `${named('project')} ${question.project}: declared, but not in organization ${organization}`,
      { code: 'unknown-name', hint: notLive({ named }) },
    );
  }
  const ids = namedProjects(configurations).filter((id) => !isPlaceholder(id));
  const listed = await ifListed(names());
  return listed?.map(({ id }) => id) ?? [...new Set(ids)];
}

function withAliases(configurations: readonly Configuration[]): Configuration {
  const [first] = configurations as [Configuration];
  const projects = new Map(configurations.flatMap(({ aliases }) => [...aliases.projects]));
  return {
    ...first,
    aliases: { ...first.aliases, projects },
    lookUps: configurations.flatMap(({ lookUps }) => lookUps),
  };
}

interface ReadGrants {
  readonly grants: readonly GrantResource[];
  /** Projects whose grants this token may not read. */
  readonly unread: ReadonlySet<string>;
  /** Placeholders of projects that the plan creates. */
  readonly created: readonly string[];
}

/** Reads the grants of all projects at once; if some of them are hidden, one project at a time. */
async function readGrants(
  projects: readonly string[],
  read: (projects: readonly string[]) => Promise<AccessState>,
): Promise<ReadGrants> {
  try {
    return grantsIn(await read(projects), projects);
  } catch (error) {
    if (!isHidden(error)) throw error;
    if (projects.length === 1) return { grants: [], unread: new Set(projects), created: [] };
  }
  const parts: ReadGrants[] = [];
  for (const project of projects) parts.push(await readGrants([project], read));
  return {
    grants: parts.flatMap(({ grants }) => grants),
    unread: new Set(parts.flatMap(({ unread }) => [...unread])),
    created: [...new Set(parts.flatMap(({ created }) => created))],
  };
}

function grantsIn({ resources, live }: AccessState, projects: readonly string[]): ReadGrants {
  const has = new Set(resourcesOf(resources, 'project').map(({ id = '' }) => id));
  const grants = resourcesOf(resources, 'team-access').filter(
    ({ attributes: { project } }) => projects.includes(project) || isUncreatedProject(project),
  );
  const created = grants.map(({ attributes }) => attributes.project).filter(isUncreatedProject);
  return {
    grants,
    // A service without team access shows no grants.
    unread: new Set(
      projects.filter((project) => !live.projects.includes(project) && !isUncreatedProject(project)),
    ),
    created: [...new Set([...created, ...[...has].filter(isUncreatedProject)])],
  };
}

/** The id of a team, by its alias, its id or its name. */
function teamCalled(
  written: string,
  { configurations, organization, named }: Asked,
  {
    teams = [],
    grants,
  }: { readonly teams: readonly NamedId[] | undefined; readonly grants: readonly GrantResource[] },
): string {
  const labels = labelsOf(configurations, { teams }, '');
  const ids = [
    ...configurations.flatMap(({ aliases }) => [...aliases.teams.values()]),
    ...teams.map(({ id }) => id),
    ...grants.map(({ attributes }) => attributes.team),
  ];
  const byName = teams.find(({ name }) => name === written)?.id;
  const isCalled = (id: string) =>
    [id, labels.team(id)].includes(written) || labels.team(id) === `${written} (${id})`;
  const found = ids.find(isCalled) ?? byName;
  if (found !== undefined) return found;
  const known = new Set([...ids.map(labels.team), ...teams.map(({ name }) => name)]);
  throw new AttuneError(`${named('team')} ${written}: unknown team in organization ${organization}`, {
    code: 'unknown-name',
    hint: hintAt(
      written,
      known,
      'use an alias, the exact name, or the id (team-...); this token may not see secret teams',
    ),
  });
}
