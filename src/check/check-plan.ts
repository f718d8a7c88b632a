import type { Difference } from '../diff/diff.ts';
import type { LiveQuery } from '../live/live-query.ts';
import { countKnown, type LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import {
  type Change,
  changesOf,
  type GrantChange,
  projectsOfMove,
  type WorkspaceChange,
} from '../model/change.ts';
import type { LiveScope } from '../model/configuration.ts';
import { type AdminGuard, type Configuration, shownAs } from '../model/configuration.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { loweredAccess, loweredByMove } from '../model/lowered-access.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import { isUncreatedProject, type Resource, resourcesOf } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import { coversAll, type PlanRequest } from '../resolve/plan-request.ts';
import { type GuardInput, grantsOfProject, movement, unchecked } from './guard-input.ts';
import { checkAdmins } from './keep-admin.ts';
import { checkLimits, type LimitOverrides, type LiveCount, needsCount } from './limits.ts';
import { checkDenied, leftToApply } from './not-permitted.ts';
import { checkAssessments, warnOfHiddenTeams } from './organization-facts.ts';
import { checkIds, idsToCheck, listedObjects } from './unknown-ids.ts';

/** What a plan was made from, for the checks of what it does. */
export interface CheckedPlan {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes' | 'after'>;
  readonly plan: Plan;
  readonly source: LiveSource;
  readonly query: LiveQuery;
  /** The projects whose access was read for the comparison. */
  readonly projects: readonly string[];
  readonly request: PlanRequest & { readonly purpose: PlanPurpose };
  /** The limits on the command line. */
  readonly overrides: LimitOverrides;
}

/** Checks of a plan that changes something: calls that the service will refuse, guards and limits. */
export async function checkPlan(checked: CheckedPlan): Promise<Diagnostic[]> {
  const { configuration, live, difference, plan, source, request, overrides } = checked;
  const unsendable = await checkCalls(checked);
  const prunes = configuration.prune.teamAccess && live.projects.length > 0 && live.dialect === 'terraform';
  const effect = 'prune.team-access does not remove their access';
  const noted = [
    ...(prunes ? await warnOfHiddenTeams(effect, { configuration, source }) : []),
    ...(await checkAssessments(difference.changes, { configuration, source })),
  ];
  const isWhole = coversAll({ ...request.selection, purpose: request.purpose });
  const guarded = await checkGuards({ configuration, live, difference, source, isWhole });
  const known = knownCount(configuration, live);
  const counted = needsCount(plan, configuration.limits, known, overrides)
    ? await wholeCount(checked)
    : known;
  return [
    ...noted,
    ...unsendable,
    ...guarded,
    ...checkLimits(plan, configuration.limits, counted, overrides),
  ];
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

/** Finds what the service will refuse before the first write: ids of nothing, and actions that the token may not do. */
async function checkCalls({
  configuration,
  live: whole,
  difference: { changes },
  plan,
  source,
  query: { bindings = false },
  projects,
  request: { purpose },
}: CheckedPlan): Promise<Diagnostic[]> {
  if (changes.length === 0) return [];
  const { organization } = configuration.desired;
  const live = { ...whole, projects };
  // An undo has its ids from the service.
  const used = purpose === 'undo' ? [] : idsToCheck(changes, live);
  const unknown =
    purpose === 'undo' ? [] : await checkIds(changes, live, { configuration, source, bindings });
  const isListed = configuration.known?.has('projects') || used.some(({ kind }) => kind === 'projects');
  const listed = isListed ? await listedObjects(source, organization, 'projects', bindings) : undefined;
  const input = { configuration, live, changes, planned: plan.changes, listed: listed ?? [], source };
  const denied = await checkDenied(input);
  return [...unknown, ...(purpose === 'review' ? leftToApply(denied) : denied)];
}

/** Grants that were read only for the effects of moves do not count. */
function knownCount(
  { scope, desired, grantProjects }: Pick<Configuration, 'scope' | 'desired' | 'grantProjects'>,
  live: Live,
): LiveCount {
  const grants = resourcesOf(live.state.resources.values(), 'team-access').filter(({ attributes }) =>
    grantProjects.has(attributes.project),
  ).length;
  const managed = new Set(resourcesOf(desired.resources.values(), 'project').map(({ id }) => id));
  const projects = resourcesOf(live.state.resources.values(), 'project').filter(({ id }) => managed.has(id));
  return { workspaces: countKnown(live, scope), grants, projects: projects.length };
}

/** All objects that the limits count, even if `only` excludes them from the run. */
async function wholeCount(checked: CheckedPlan): Promise<LiveCount> {
  const { live, source, query, request } = checked;
  const configuration = await resolveNames(checked.configuration, {
    ...request,
    source,
    also: ['grant-projects'],
  });
  const { scope, desired, grantProjects } = configuration;
  const known = knownCount(configuration, live);
  const unread = [...grantProjects.keys()].filter(
    (project) => !query.projects.includes(project) && !isUncreatedProject(project),
  );
  const [workspaces, ...grants] = await Promise.all([
    countAll(source, desired.organization, scope, live),
    ...unread.map((project) => source.countGrants(project)),
  ]);
  return { ...known, workspaces, grants: grants.reduce((sum, count) => sum + count, known.grants) };
}

async function countAll(
  source: LiveSource,
  organization: string,
  scope: LiveScope | undefined,
  live: Live,
): Promise<number> {
  if (scope === undefined && live.workspaceTotal !== undefined) return live.workspaceTotal;
  if (live.whole || (scope && live.scopeWhole)) return countKnown(live, scope);
  return source.countWorkspaces(organization, scope);
}

/** Access that a team loses through a plan, with the parts of its message. */
interface Loss {
  readonly team: string;
  readonly change: Change;
  readonly what: string;
  readonly hint: (team: string) => string;
}

/** Checks `guards.keep-self`: access that is revoked or lowered, and access to workspaces that move. */
async function checkSelf(input: GuardInput): Promise<Diagnostic[]> {
  const { configuration, difference, source } = input;
  const { keepSelf } = configuration.guards;
  const lowered = changesOf(difference.changes, 'team-access').filter(loweredAccess).map(lossOfGrant);
  const moves = changesOf(difference.changes, 'workspace').filter(
    (change) => projectsOfMove(change).length > 0,
  );
  if (keepSelf === undefined || lowered.length + moves.length === 0) return [];
  const at = { location: keepSelf };
  const caller = await source.access?.caller();
  if (caller?.kind === undefined)
    return [unchecked('keep-self', 'the service does not show whose token this is', at)];
  // A token of an organization acts through no team.
  if (caller.kind === 'organizations') return [];
  const isTeam = caller.kind === 'teams';
  const losses = [...lowered, ...(await lossesOfMoves(moves, at, input))];
  const mayConcern = isTeam ? losses.filter(({ team }) => team === caller.id) : losses;
  if (mayConcern.length === 0) return [];
  const teams = new Map(
    (await source.access?.teams(configuration.desired.organization))?.map((team) => [team.id, team]),
  );
  const isMember = (team: string) => (isTeam ? true : teams.get(team)?.members?.includes(caller.id));
  const name = (team: string) => shownAs(configuration, 'teams', team);
  const own = mayConcern
    // A team that is an admin of all projects remains one without the grant.
    .filter(({ team }) => isMember(team) && !teams.get(team)?.isAdminOfAll)
    .map((loss) => losesSelf(loss, name(loss.team), at));
  const hidden = mayConcern.filter(({ team }) => isMember(team) === undefined);
  if (hidden.length === 0) return own;
  const why = `the service does not show the members of ${listedTeams(hidden.map(({ team }) => name(team)))}`;
  return [...own, unchecked('keep-self', why, at)];
}

function lossOfGrant(change: GrantChange): Loss {
  return {
    team: String(change.live?.attributes.team),
    change,
    what: `${change.address} ${movement(change)}`,
    hint: (team) => `keep the access of ${team}, or run this plan with a token of another team`,
  };
}

/** The access to moved workspaces that teams lose: one for each team and pair of projects. */
async function lossesOfMoves(
  moves: readonly WorkspaceChange[],
  at: Pick<AdminGuard, 'location'>,
  { configuration, live, difference, source }: GuardInput,
): Promise<Loss[]> {
  if (live.missing.includes('team-access')) return [];
  const isRead = (project: string) => live.projects.includes(project) || isUncreatedProject(project);
  const pairs = [...groupBy(moves, (move) => JSON.stringify(projectsOfMove(move))).values()];
  // The plan has read the access to the others, unless the token may not: then the read fails with the reason.
  const unread = new Set(moves.flatMap(projectsOfMove).filter((id) => !isRead(id)));
  await Promise.all(
    [...unread].map((project) =>
      grantsOfProject(
        project,
        { guard: 'keep-self', ...at },
        { configuration, dialect: live.dialect, source },
      ),
    ),
  );
  const grantsIn = (resources: Iterable<Resource>, project: string) =>
    resourcesOf(resources, 'team-access').filter(({ attributes }) => attributes.project === project);
  return pairs.flatMap(([move, ...others]) => {
    const [from, to] = move ? projectsOfMove(move) : [];
    if (move === undefined || from === undefined || to === undefined) return [];
    const after = new Map(
      grantsIn(difference.after, to).map(({ attributes }) => [attributes.team, attributes]),
    );
    const name = (project: string) => shownAs(configuration, 'projects', project);
    const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more workspace')})`;
    return grantsIn(live.state.resources.values(), from)
      .filter(({ attributes }) => loweredByMove(attributes, after.get(attributes.team)))
      .map(
        ({ attributes: { team } }): Loss => ({
          team,
          change: move,
          what: `${move.address}${more} moves from project ${name(from)} to ${name(to)}, which gives less access to it`,
          hint: (called) =>
            `give ${called} the same access to project ${name(to)}, or run this plan with a token of another team`,
        }),
      );
  });
}

function listedTeams(teams: readonly string[]): string {
  const names = [...new Set(teams)];
  return `${names.length === 1 ? 'team' : 'teams'} ${names.join(', ')}`;
}

function losesSelf(
  { change: { address, location: declared }, what, hint }: Loss,
  team: string,
  { location }: Pick<AdminGuard, 'location'>,
): Diagnostic {
  return problem('keep-self', `${what}, and this token acts through team ${team} (guards.keep-self)`, {
    at: { address, location: declared ?? location },
    hint: hint(team),
  });
}
