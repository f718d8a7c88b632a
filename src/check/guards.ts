import { type Access, accessAround, accessIn, knownOf } from '../access/access.ts';
import { movesIn } from '../access/effects.ts';
import { hasProject, readsNothing } from '../live/live-query.ts';
import { type Change, changesOf, type GrantChange } from '../model/change.ts';
import { type AdminGuard, type Configuration, rootsOf, shownAs } from '../model/configuration.ts';
import { type Diagnostic, DiagnosticsError, note, problem } from '../model/diagnostic.ts';
import { loweredAccess, loweredPermission } from '../model/lowered-access.ts';
import { type Permissions, permissionPaths } from '../model/permissions.ts';
import { isUncreatedProject, type Resource, resourcesOf, uncreatedProject } from '../model/state.ts';
import { counted, listed } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { coversAll } from '../resolve/plan-request.ts';
import { isHidden } from '../service/service-error.ts';
import type { Check, Pass } from './check.ts';
import { warnOfHiddenTeams } from './organization-facts.ts';

type GuardName = 'keep-admin' | 'keep-self';
type Place = Pick<AdminGuard, 'location'>;

/**
 * `guards.keep-admin`, on the state after a plan: grants of projects without declared access are read for it, and permissions
 * in the organization only where the grants are not enough. `guards.keep-self`: access that is revoked or lowered, and access
 * to workspaces that move.
 */
export const guards: readonly Check[] = [
  {
    codes: ['keep-admin', 'guard-not-checked', 'hidden-teams'],
    isOfRoot: true,
    find: async (pass) => {
      const { keepAdmin = [] } = pass.configuration.guards;
      return (await Promise.all(keepAdmin.map((guard) => checkAdmins(guard, pass)))).flat();
    },
  },
  { codes: ['keep-self', 'guard-not-checked'], find: checkSelf },
];

async function checkAdmins(guard: AdminGuard, pass: Pass): Promise<Diagnostic[]> {
  const { configuration, live, difference, source } = pass;
  if (live.missing.includes('team-access'))
    return [unchecked('keep-admin', 'this service does not offer project team access', guard)];
  const checked = projectsToCheck(pass);
  const known = knownOf(live);
  const unread = checked.filter((project) => !known.hasGrants(project));
  const others = await Promise.all(unread.map((project) => readGrants(project, 'keep-admin', guard, pass)));
  const resources = [...difference.after, ...others.flat()];
  const isLost =
    ({ rightsIn }: Access) =>
    (project: string) =>
      ![...rightsIn(project)].some(
        ([team, rights]) => guard.teams.has(team) && rights.some(({ level }) => level === 'admin'),
      );
  const granted = checked.filter(isLost(accessIn(resources, known)));
  if (granted.length === 0) return [];
  const teams = await source.access?.teams(configuration.desired.organization);
  const failing = granted.filter(isLost(accessIn(resources, { ...known, teams })));
  if (failing.length === 0) return [];
  const effect = 'guards.keep-admin does not count their access';
  const hidden = live.dialect === 'terraform' ? await warnOfHiddenTeams(effect, pass, guard.location) : [];
  return failing.map((project) => lastRevoked(project, guard, pass)).concat(hidden);
}

function projectsToCheck({ configuration, difference: { changes }, request }: Pass): readonly string[] {
  const { aliases, grantProjects } = configuration;
  const changed = new Set([
    ...changesOf(changes, 'project').map(({ name }) => uncreatedProject(name)),
    ...changesOf(changes, 'team-access').flatMap(
      ({ live, target }) => (target ?? live)?.attributes.project ?? [],
    ),
  ]);
  const isWhole = coversAll({ ...request.selection, purpose: request.purpose });
  const declared = new Set([...aliases.projects.values(), ...grantProjects.keys()]);
  // A project whose creation is left out or held does not exist after the plan.
  return [...(isWhole ? declared : changed)]
    .filter((project) => declared.has(project) && (!isUncreatedProject(project) || changed.has(project)))
    .filter(coveredProjects(configuration));
}

export function adminGuardsOf(configuration: Configuration): (project: string) => ReadonlySet<string>[] {
  const covering = rootsOf(configuration).map((root) => ({
    teams: (root.guards.keepAdmin ?? []).map(({ teams }) => new Set(teams.keys())),
    isCovered: coveredProjects(root),
  }));
  return (project) => covering.flatMap(({ teams, isCovered }) => (isCovered(project) ? teams : []));
}

function coveredProjects({ desired, scope }: Configuration): (project: string) => boolean {
  const deleted = new Set(
    resourcesOf(desired.resources.values(), 'project').flatMap(({ id, declared }) =>
      declared?.absent ? id : [],
    ),
  );
  return (project) => !deleted.has(project) && (scope === undefined || hasProject(scope, project));
}

function lastRevoked(
  project: string,
  { teams, location }: AdminGuard,
  { configuration, difference, source }: Pass,
): Diagnostic {
  const lost = changesOf(difference.changes, 'team-access').find(({ live: { attributes } = {} }) => {
    const isAdmin = attributes?.project === project && attributes.access === 'admin';
    return isAdmin && teams.has(attributes.team);
  });
  const name = shownAs(configuration, 'projects', project);
  const names = [...teams.values()];
  const { absent, until } = configuration.desired.resources.get(lost?.address ?? '')?.declared ?? {};
  const ended = absent && until ? `, until a later date than ${until.written}` : '';
  const why = lost === undefined ? '' : `: ${lost.address} ${movement(lost)}`;
  return problem(
    'keep-admin',
    `no team of guards.keep-admin (${names.join(', ')}) is an admin of project ${name} after this plan${why}`,
    {
      severity: source.access ? 'error' : 'warning',
      at: { address: lost?.address, location: lost?.location ?? location },
      hint: `declare \`admin\` for ${listed(names)} under team-access.${name}${ended}`,
    },
  );
}

async function readGrants(
  project: string,
  guard: GuardName,
  { location }: Place,
  { configuration, live: { dialect }, source }: Pass,
): Promise<readonly Resource[]> {
  const { organization } = configuration.desired;
  const query = { organization, dialect, ...readsNothing, projects: [project] };
  try {
    return resourcesOf((await source.read(query)).state.resources.values(), 'team-access');
  } catch (error) {
    if (!isHidden(error)) throw error;
    const name = shownAs(configuration, 'projects', project);
    throw new DiagnosticsError([
      problem(guard, `guards.${guard} cannot be checked for project ${name}: ${error.message}`, {
        at: location,
        hint: 'use a token that may read the access to this project, or remove the project from the configuration',
      }),
    ]);
  }
}

function movement({ action, live, target }: GrantChange): string {
  if (action === 'delete') return 'is revoked';
  const [before, after] = [live?.attributes.access, target?.attributes.access];
  return before === after ? `loses permissions under ${before}` : `is lowered from ${before} to ${after}`;
}

function unchecked(guard: GuardName, why: string, { location }: Place): Diagnostic {
  return note('guard-not-checked', `guards.${guard} was not checked: ${why}`, { at: location });
}

interface Loss {
  readonly team: string;
  readonly change: Change;
  readonly what: string;
}

async function checkSelf(pass: Pass): Promise<Diagnostic[]> {
  const { configuration, live, difference, source } = pass;
  const { roots = [configuration] } = configuration;
  const keepSelf = roots[0]?.guards.keepSelf;
  if (keepSelf === undefined) return [];
  const at = { location: keepSelf };
  const lowered = changesOf(difference.changes, 'team-access')
    .filter(loweredAccess)
    .map((change): Loss => {
      const team = String(change.live?.attributes.team);
      return { team, change, what: `${change.address} ${movement(change)}` };
    });
  const moves = movesIn(difference.changes, accessAround(live, difference));
  if (lowered.length + moves.length === 0) return [];
  const caller = await source.access?.caller();
  if (caller?.kind === undefined)
    return [unchecked('keep-self', 'the service does not show whose token this is', at)];
  // A token of an organization acts through no team.
  if (caller.kind === 'organizations') return [];
  const isTeam = caller.kind === 'teams';
  const losses = [...lowered, ...(await lossesOfMoves(moves, at, pass))];
  const mayConcern = losses.filter(({ team }) => !isTeam || team === caller.id);
  if (mayConcern.length === 0) return [];
  const listedTeams = await source.access?.teams(configuration.desired.organization);
  const teams = new Map(listedTeams?.map((team) => [team.id, team]));
  const isMember = (team: string) => (isTeam ? true : teams.get(team)?.members?.includes(caller.id));
  const name = (team: string) => shownAs(configuration, 'teams', team);
  const own = mayConcern
    // A team that is an admin of all projects remains one without the grant.
    .filter(({ team }) => isMember(team) && !teams.get(team)?.isAdminOfAll)
    .map(({ team, change: { address, location }, what }) => {
      const place = location ?? roots[difference.owners.get(address) ?? 0]?.guards.keepSelf ?? keepSelf;
      const message = `${what}, and this token acts through team ${name(team)} (guards.keep-self)`;
      const hint = `keep the access of ${name(team)}, or run this plan with a token of another team`;
      return problem('keep-self', message, { at: { address, location: place }, hint });
    });
  const hidden = mayConcern.flatMap(({ team }) => (isMember(team) === undefined ? name(team) : []));
  const names = [...new Set(hidden)];
  if (names.length === 0) return own;
  const ofTeams = `${names.length === 1 ? 'team' : 'teams'} ${names.join(', ')}`;
  return [...own, unchecked('keep-self', `the service does not show the members of ${ofTeams}`, at)];
}

async function lossesOfMoves(moves: ReturnType<typeof movesIn>, at: Place, pass: Pass): Promise<Loss[]> {
  const { configuration, live } = pass;
  if (live.missing.includes('team-access')) return [];
  // The plan has read the access to the others, unless the token may not: then the read fails with the reason.
  const unread = new Set(moves.flatMap(({ unknown }) => unknown));
  await Promise.all([...unread].map((project) => readGrants(project, 'keep-self', at, pass)));
  const pairs = [...groupBy(moves, ({ from, to }) => JSON.stringify([from, to])).values()];
  const name = (project: string) => shownAs(configuration, 'projects', project);
  return pairs.flatMap(([move, ...others]) => {
    const { change, from, to, teams } = move as (typeof moves)[number];
    const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more workspace')})`;
    const what = `${change.address}${more} moves from project ${name(from)} to ${name(to)}, which gives less access to it`;
    return teams.flatMap(({ team, before, after }): Loss | [] => {
      if (before === null || before === 'unknown' || after === 'unknown') return [];
      const isLost = after === null || loweredInWorkspaces(before.permissions, after.permissions);
      return isLost ? { team, change, what } : [];
    });
  });
}

function loweredInWorkspaces(before: Permissions, after: Permissions = {}): boolean {
  return permissionPaths.some(
    (path) => path.startsWith('workspace-access.') && loweredPermission(path, before[path], after[path]),
  );
}
