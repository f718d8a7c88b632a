import { type AdminGuard, type Configuration, shownAs } from '../desired/configuration.ts';
import { listed } from '../desired/text.ts';
import { hasProject } from '../live/live-query.ts';
import { type Change, changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isUncreatedProject, type Resource, resourcesOf, uncreatedProject } from '../model/state.ts';
import { type GuardInput, grantsOfProject, movement, unchecked } from './guard-input.ts';
import { warnOfHiddenTeams } from './organization-facts.ts';

/** Checks one list of `guards.keep-admin` on the state after a plan. */
export async function checkAdmins(guard: AdminGuard, input: GuardInput): Promise<Diagnostic[]> {
  const { configuration, live, difference, source } = input;
  const { organization } = configuration.desired;
  if (live.missing.includes('team-access')) {
    return [unchecked('keep-admin', 'this service does not offer project team access', guard)];
  }
  const checked = projectsToCheck(input);
  const read = new Set(live.projects);
  const unread = checked.filter((project) => !read.has(project) && !isUncreatedProject(project));
  const others = await Promise.all(
    unread.map((project) =>
      grantsOfProject(project, guard, { configuration, dialect: live.dialect, source }),
    ),
  );
  const admins = adminsByProject([...difference.after, ...others.flat()]);
  const isKept = (project: string) => (admins.get(project) ?? []).some((team) => guard.teams.has(team));
  const failing = checked.filter((project) => !isKept(project));
  if (failing.length === 0) return [];
  const teams = await source.access?.teams(organization);
  if (teams?.some(({ id, isAdminOfAll }) => isAdminOfAll && guard.teams.has(id))) return [];
  const errors = failing.map((project) => withoutAdmin(project, guard, input));
  if (source.access) {
    const effect = 'guards.keep-admin does not count their access';
    const warnings =
      live.dialect === 'terraform' ? await warnOfHiddenTeams(effect, input, guard.location) : [];
    return [...errors, ...warnings];
  }
  // A snapshot does not show which teams are admins of all projects, and its plan is not applied.
  return errors.map((error) => ({ ...error, severity: 'warning' }));
}

/** The declared projects that remain after the plan; in a plan of a part, those whose access it changes. */
function projectsToCheck({ configuration, difference, isWhole }: GuardInput): readonly string[] {
  const { aliases, grantProjects } = configuration;
  const changed = new Set(difference.changes.flatMap((change) => projectOf(change) ?? []));
  // A project whose creation is left out or held does not exist after the plan.
  const declared = [...aliases.projects.values(), ...grantProjects.keys()].filter(
    (project) => !isUncreatedProject(project) || changed.has(project),
  );
  return [...new Set(isWhole ? declared : changed)].filter(coveredProjects(configuration));
}

/** The teams of each guard that covers a project. */
export function adminGuardsOf(configuration: Configuration): (project: string) => ReadonlySet<string>[] {
  const guards = (configuration.guards.keepAdmin ?? []).map(({ teams }) => new Set(teams.keys()));
  const isCovered = coveredProjects(configuration);
  return (project) => (isCovered(project) ? guards : []);
}

/** The projects in scope that the files do not delete. */
function coveredProjects({ desired, scope }: Configuration): (project: string) => boolean {
  const deleted = new Set(
    resourcesOf(desired.resources.values(), 'project').flatMap(({ id, declared }) =>
      declared?.absent && id !== undefined ? id : [],
    ),
  );
  return (project) => !deleted.has(project) && (scope === undefined || hasProject(scope, project));
}

function projectOf({ kind, action, name, live, target }: Change): string | undefined {
  if (kind === 'project') return action === 'create' ? uncreatedProject(name) : undefined;
  const project = kind === 'team-access' ? (target ?? live)?.attributes.project : undefined;
  return typeof project === 'string' ? project : undefined;
}

function adminsByProject(resources: readonly Resource[]): ReadonlyMap<string, readonly string[]> {
  const admins = new Map<string, string[]>();
  for (const { attributes } of resourcesOf(resources, 'team-access')) {
    const { project, team, access } = attributes;
    if (access === 'admin') admins.set(project, [...(admins.get(project) ?? []), team]);
  }
  return admins;
}

/** The diagnostic of a project, at the change that removes the last admin, if one does. */
function withoutAdmin(
  project: string,
  guard: AdminGuard,
  { configuration, difference }: GuardInput,
): Diagnostic {
  const lost = changesOf(difference.changes, 'team-access').find(
    ({ live }) =>
      live?.attributes.project === project &&
      live.attributes.access === 'admin' &&
      guard.teams.has(live.attributes.team),
  );
  const name = shownAs(configuration, 'projects', project);
  const teams = [...guard.teams.values()];
  const why = lost === undefined ? '' : `: ${lost.address} ${movement(lost)}`;
  return {
    severity: 'error',
    code: 'keep-admin',
    message: `no team of guards.keep-admin (${teams.join(', ')}) is an admin of project ${name} after this plan${why}`,
    ...(lost && { address: lost.address }),
    location: lost?.location ?? guard.location,
    hint: `declare \`admin\` for ${listed(teams)} under team-access.${name}`,
  };
}
