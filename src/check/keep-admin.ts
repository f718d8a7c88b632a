import { hasProject, readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { GrantChange } from '../model/change.ts';
import { changesOf } from '../model/change.ts';
import { type AdminGuard, type Configuration, rootsOf, shownAs } from '../model/configuration.ts';
import { type Diagnostic, note, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { PlannedChange } from '../model/plan.ts';
import {
  type GrantResource,
  isUncreatedProject,
  type Resource,
  resourcesOf,
  uncreatedProject,
} from '../model/state.ts';
import { listed } from '../model/text.ts';
import { coversAll } from '../resolve/plan-request.ts';
import { ServiceError } from '../service/service-error.ts';
import type { Check, Pass } from './check.ts';
import { warnOfHiddenTeams } from './organization-facts.ts';

type GuardName = 'keep-admin' | 'keep-self';

/**
 * Checks the lists of `guards.keep-admin` on the state after a plan. Grants of projects without declared access are read for
 * it, and organization-wide permissions only where the grants are not enough.
 */
export const keepAdmin: Check = {
  codes: ['keep-admin', 'guard-not-checked', 'hidden-teams'],
  isOfRoot: true,
  async find(pass) {
    const { keepAdmin: guards = [] } = pass.configuration.guards;
    return (await Promise.all(guards.map((guard) => checkAdmins(guard, pass)))).flat();
  },
};

async function checkAdmins(guard: AdminGuard, input: Pass): Promise<Diagnostic[]> {
  const { configuration, live, difference, source } = input;
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
  if (await hasAdminOfAll(guard, source, configuration)) return [];
  const effect = 'guards.keep-admin does not count their access';
  return [
    ...failing.map((project) => lastRevoked(project, guard, input)),
    ...(live.dialect === 'terraform' ? await warnOfHiddenTeams(effect, input, guard.location) : []),
  ];
}

/** Whether a team of the guard is an admin of all projects, by its permissions in the organization. */
async function hasAdminOfAll(
  { teams: guarded }: AdminGuard,
  { access }: LiveSource,
  { desired: { organization } }: Configuration,
): Promise<boolean> {
  const teams = await access?.teams(organization);
  return teams?.some(({ id, isAdminOfAll }) => isAdminOfAll && guarded.has(id)) ?? false;
}

/** The declared projects that remain after the plan; in a plan of a part, those whose access it changes. */
function projectsToCheck({ configuration, difference, request }: Pass): readonly string[] {
  const { aliases, grantProjects } = configuration;
  const changed = new Set([
    ...changesOf(difference.changes, 'project').flatMap(({ action, name }) =>
      action === 'create' ? uncreatedProject(name) : [],
    ),
    ...changesOf(difference.changes, 'team-access').flatMap(
      ({ live, target }) => (target ?? live)?.attributes.project ?? [],
    ),
  ]);
  // A project whose creation is left out or held does not exist after the plan.
  const declared = [...aliases.projects.values(), ...grantProjects.keys()].filter(
    (project) => !isUncreatedProject(project) || changed.has(project),
  );
  const isDeclared = new Set(declared);
  const isWhole = coversAll({ ...request.selection, purpose: request.purpose });
  const checked = isWhole ? declared : [...changed].filter((project) => isDeclared.has(project));
  return [...new Set(checked)].filter(coveredProjects(configuration));
}

/** The teams of each guard that covers a project. */
export function adminGuardsOf(configuration: Configuration): (project: string) => ReadonlySet<string>[] {
  const covering = rootsOf(configuration).map((root) => {
    const guards = (root.guards.keepAdmin ?? []).map(({ teams }) => new Set(teams.keys()));
    const isCovered = coveredProjects(root);
    return (project: string) => (isCovered(project) ? guards : []);
  });
  return (project) => covering.flatMap((guardsOf) => guardsOf(project));
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

function adminsByProject(resources: readonly Resource[]): ReadonlyMap<string, readonly string[]> {
  const admins = new Map<string, string[]>();
  for (const { attributes } of resourcesOf(resources, 'team-access')) {
    const { project, team, access } = attributes;
    if (access === 'admin') admins.set(project, [...(admins.get(project) ?? []), team]);
  }
  return admins;
}

/** The diagnostic of a project, at the change that removes the last admin, if one does. */
function lastRevoked(
  project: string,
  guard: AdminGuard,
  { configuration, difference, source }: Pass,
): Diagnostic {
  const lost = changesOf(difference.changes, 'team-access').find(
    ({ live }) =>
      live?.attributes.project === project &&
      live.attributes.access === 'admin' &&
      guard.teams.has(live.attributes.team),
  );
  const name = shownAs(configuration, 'projects', project);
  const why = lost === undefined ? '' : `: ${lost.address} ${movement(lost)}`;
  return {
    ...withoutAdmin(guard, source, `project ${name} after this plan${why}`),
    ...(lost && { address: lost.address }),
    location: lost?.location ?? guard.location,
    hint: `declare \`admin\` for ${listed([...guard.teams.values()])} under team-access.${name}`,
  };
}

function withoutAdmin(
  { teams }: AdminGuard,
  { access }: LiveSource,
  of: string,
): Pick<Diagnostic, 'severity' | 'code' | 'message'> {
  return problem(
    'keep-admin',
    `no team of guards.keep-admin (${[...teams.values()].join(', ')}) is an admin of ${of}`,
    { severity: access ? 'error' : 'warning' },
  );
}

/**
 * The live access to a project.
 *
 * @throws {DiagnosticsError} if this token may not read it.
 */
export async function grantsOfProject(
  project: string,
  { guard = 'keep-admin', location }: { readonly guard?: GuardName } & Pick<AdminGuard, 'location'>,
  { configuration, dialect, source }: Pick<Pass, 'configuration' | 'source'> & { readonly dialect: Dialect },
): Promise<readonly GrantResource[]> {
  try {
    const { state } = await source.read({
      organization: configuration.desired.organization,
      dialect,
      ...readsNothing,
      projects: [project],
    });
    return resourcesOf(state.resources.values(), 'team-access');
  } catch (error) {
    if (!(error instanceof ServiceError) || ![403, 404].includes(error.status)) throw error;
    throw new DiagnosticsError([
      problem(
        guard,
        `guards.${guard} cannot be checked for project ${shownAs(configuration, 'projects', project)}: ${error.message}`,
        {
          at: location,
          hint: 'use a token that may read the access to this project, or remove the project from the configuration',
        },
      ),
    ]);
  }
}

/** What a change does with a grant. */
export function movement({ action, live, target }: GrantChange): string {
  if (action === 'delete') return 'is revoked';
  const [before, after] = [live?.attributes.access, target?.attributes.access];
  return before === after ? `loses permissions under ${before}` : `is lowered from ${before} to ${after}`;
}

/** The note of a guard that cannot be checked. */
export function unchecked(
  guard: GuardName,
  why: string,
  { location }: Pick<AdminGuard, 'location'>,
): Diagnostic {
  return note('guard-not-checked', `guards.${guard} was not checked: ${why}`, { at: location });
}

interface AdminMovement {
  readonly project: string;
  readonly team: string;
  readonly wasAdmin: boolean;
  readonly isAdmin: boolean;
}

/** The ids of the projects that planned changes delete. */
export function deletedProjects(changes: readonly PlannedChange[]): ReadonlySet<string | undefined> {
  return new Set(changesOf(changes, 'project').flatMap(({ action, id }) => (action === 'delete' ? id : [])));
}

/** What a planned change of a grant does with the level of its team. */
export function adminMovement({ action, fields, facts = {} }: PlannedChange): AdminMovement {
  const field = fields.find(({ path }) => path === 'access');
  const after = action === 'delete' ? undefined : (field?.after ?? facts.access);
  return {
    project: String(facts.project),
    team: String(facts.team),
    wasAdmin: facts.access === 'admin',
    isAdmin: after === 'admin',
  };
}
