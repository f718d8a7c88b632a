import { type AdminGuard, aliasOf, type Configuration } from '../desired/configuration.ts';
import { listed } from '../desired/text.ts';
import type { Difference } from '../diff/diff.ts';
import { hasProject } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Change, GrantChange } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import {
  type GrantResource,
  isUncreatedProject,
  type Resource,
  resourcesOf,
  uncreatedProject,
} from '../model/state.ts';
import { ServiceError } from '../service/service-error.ts';
import { loweredAccess } from './lowered-access.ts';

/** What the guards of access compare. */
export interface GuardInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes' | 'after'>;
  readonly source: LiveSource;
  /** Whether the plan covers all that the configuration declares; else only changed projects are checked. */
  readonly isWhole: boolean;
}

/**
 * Checks `guards.keep-admin` and `guards.keep-self` on the state after a plan. Grants of projects without declared access
 * are read for it, and organization-wide permissions only where the grants are not enough.
 */
export async function checkGuards(input: GuardInput): Promise<Diagnostic[]> {
  const { keepAdmin = [] } = input.configuration.guards;
  const checks = [...keepAdmin.map((guard) => checkAdmins(guard, input)), checkSelf(input)];
  return (await Promise.all(checks)).flat();
}

async function checkAdmins(guard: AdminGuard, input: GuardInput): Promise<Diagnostic[]> {
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
  if (source.access) return errors;
  // A snapshot does not show which teams are admins of all projects, and its plan is not applied.
  return errors.map((error) => ({ ...error, severity: 'warning' }));
}

/** The declared projects that remain after the plan; in a plan of a part, those whose access it changes. */
function projectsToCheck({ configuration, difference, isWhole }: GuardInput): readonly string[] {
  const { aliases, desired, scope, grantProjects } = configuration;
  const deleted = new Set(
    resourcesOf(desired.resources.values(), 'project').flatMap(({ id, declared }) =>
      declared?.absent && id !== undefined ? id : [],
    ),
  );
  const declared = isWhole
    ? [...aliases.projects.values(), ...grantProjects.keys()]
    : difference.changes.flatMap((change) => projectOf(change) ?? []);
  return [...new Set(declared)].filter(
    (project) => !deleted.has(project) && (scope === undefined || hasProject(scope, project)),
  );
}

function projectOf({ kind, action, name, live, target }: Change): string | undefined {
  if (kind === 'project') return action === 'create' ? uncreatedProject(name) : undefined;
  const project = kind === 'team-access' ? (target ?? live)?.attributes.project : undefined;
  return typeof project === 'string' ? project : undefined;
}

/**
 * The live access to a project.
 *
 * @throws {DiagnosticsError} if this token may not read it.
 */
export async function grantsOfProject(
  project: string,
  { location }: Pick<AdminGuard, 'location'>,
  {
    configuration,
    dialect,
    source,
  }: Pick<GuardInput, 'configuration' | 'source'> & { readonly dialect: Dialect },
): Promise<readonly GrantResource[]> {
  try {
    const { state } = await source.read({
      organization: configuration.desired.organization,
      dialect,
      names: [],
      whole: false,
      consumersOf: new Set(),
      retentionOf: new Set(),
      projects: [project],
    });
    return resourcesOf(state.resources.values(), 'team-access');
  } catch (error) {
    if (!(error instanceof ServiceError) || ![403, 404].includes(error.status)) throw error;
    throw new DiagnosticsError([
      {
        severity: 'error',
        code: 'keep-admin',
        message: `guards.keep-admin cannot be checked for project ${shown(configuration, 'projects', project)}: ${error.message}`,
        location,
        hint: 'use a token that may read the access to this project, or remove the project from the configuration',
      },
    ]);
  }
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
  const lost = difference.changes.find(
    (change): change is GrantChange =>
      change.kind === 'team-access' &&
      change.live?.attributes.project === project &&
      change.live.attributes.access === 'admin' &&
      guard.teams.has(change.live.attributes.team),
  );
  const name = shown(configuration, 'projects', project);
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

async function checkSelf(input: GuardInput): Promise<Diagnostic[]> {
  const { configuration, difference, source } = input;
  const { keepSelf } = configuration.guards;
  const lowered = difference.changes
    .filter((change): change is GrantChange => change.kind === 'team-access' && loweredAccess(change))
    .map((change) => ({ change, team: String(change.live?.attributes.team) }));
  if (keepSelf === undefined || lowered.length === 0) return [];
  const at = { location: keepSelf };
  const caller = await source.access?.caller();
  if (caller?.kind === undefined)
    return [unchecked('keep-self', 'the service does not show whose token this is', at)];
  const isTeam = caller.kind === 'teams';
  const mayConcern = isTeam ? lowered.filter(({ team }) => team === caller.id) : lowered;
  // A token of an organization acts through no team.
  if (caller.kind === 'organizations' || mayConcern.length === 0) return [];
  const teams = new Map(
    (await source.access?.teams(configuration.desired.organization))?.map((team) => [team.id, team]),
  );
  const isMember = (team: string) => (isTeam ? true : teams.get(team)?.members?.includes(caller.id));
  const name = (team: string) => shown(configuration, 'teams', team);
  const own = mayConcern
    // A team that is an admin of all projects remains one without the grant.
    .filter(({ team }) => isMember(team) && !teams.get(team)?.isAdminOfAll)
    .map(({ change, team }) => losesSelf(change, name(team), at));
  const hidden = mayConcern.filter(({ team }) => isMember(team) === undefined);
  if (hidden.length === 0) return own;
  const why = `the service does not show the members of ${listedTeams(hidden.map(({ team }) => name(team)))}`;
  return [...own, unchecked('keep-self', why, at)];
}

function listedTeams(teams: readonly string[]): string {
  const names = [...new Set(teams)];
  return `${names.length === 1 ? 'team' : 'teams'} ${names.join(', ')}`;
}

function losesSelf(
  change: GrantChange,
  team: string,
  { location }: Pick<AdminGuard, 'location'>,
): Diagnostic {
  const { address } = change;
  return {
    severity: 'error',
    code: 'keep-self',
    message: `${address} ${movement(change)}, and this token acts through team ${team} (guards.keep-self)`,
    address,
    location: change.location ?? location,
    hint: `keep the access of ${team}, or run this plan with a token of another team`,
  };
}

/** What a change does with a grant. */
function movement({ action, live, target }: GrantChange): string {
  if (action === 'delete') return 'is revoked';
  const [before, after] = [live?.attributes.access, target?.attributes.access];
  return before === after ? `loses permissions under ${before}` : `is lowered from ${before} to ${after}`;
}

function unchecked(
  guard: 'keep-admin' | 'keep-self',
  why: string,
  { location }: Pick<AdminGuard, 'location'>,
): Diagnostic {
  return {
    severity: 'note',
    code: 'guard-not-checked',
    message: `guards.${guard} was not checked: ${why}`,
    location,
  };
}

function shown({ aliases }: Configuration, kind: 'projects' | 'teams', id: string): string {
  return aliasOf(aliases, kind, id);
}
