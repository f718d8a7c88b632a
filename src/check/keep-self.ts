import { accessAround } from '../access/access.ts';
import { type Move, type MoveRight, movesIn } from '../access/effects.ts';
import { type Change, changesOf, type GrantChange } from '../model/change.ts';
import { type AdminGuard, rootsOf, shownAs } from '../model/configuration.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { loweredAccess, loweredInWorkspaces } from '../model/lowered-access.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import type { Check, Pass } from './check.ts';
import { grantsOfProject, movement, unchecked } from './keep-admin.ts';

/** Access that a team loses through a plan, with the parts of its message. */
interface Loss {
  readonly team: string;
  readonly change: Change;
  readonly what: string;
  readonly hint: (team: string) => string;
}

/** Checks `guards.keep-self`: access that is revoked or lowered, and access to workspaces that move. */
export const keepSelf: Check = { codes: ['keep-self', 'guard-not-checked'], find: checkSelf };

async function checkSelf(input: Pass): Promise<Diagnostic[]> {
  const { configuration, live, difference, source } = input;
  const { keepSelf } = rootsOf(configuration)[0]?.guards ?? {};
  const lowered = changesOf(difference.changes, 'team-access').filter(loweredAccess).map(lossOfGrant);
  const moves = movesIn(difference.changes, accessAround(live, difference));
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
  const { roots = [configuration] } = configuration;
  const placeOf = ({ change: { address } }: Loss) => ({
    location: roots[difference.owners.get(address) ?? 0]?.guards.keepSelf ?? keepSelf,
  });
  const isMember = (team: string) => (isTeam ? true : teams.get(team)?.members?.includes(caller.id));
  const name = (team: string) => shownAs(configuration, 'teams', team);
  const own = mayConcern
    // A team that is an admin of all projects remains one without the grant.
    .filter(({ team }) => isMember(team) && !teams.get(team)?.isAdminOfAll)
    .map((loss) => losesSelf(loss, name(loss.team), placeOf(loss)));
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
  moves: readonly Move[],
  at: Pick<AdminGuard, 'location'>,
  { configuration, live, source }: Pass,
): Promise<Loss[]> {
  if (live.missing.includes('team-access')) return [];
  // The plan has read the access to the others, unless the token may not: then the read fails with the reason.
  const unread = new Set(moves.flatMap(({ unknown }) => unknown));
  await Promise.all(
    [...unread].map((project) =>
      grantsOfProject(
        project,
        { guard: 'keep-self', ...at },
        { configuration, dialect: live.dialect, source },
      ),
    ),
  );
  const pairs = [...groupBy(moves, ({ from, to }) => JSON.stringify([from, to])).values()];
  const name = (project: string) => shownAs(configuration, 'projects', project);
  return pairs.flatMap(([move, ...others]) => {
    const { change, from, to, teams } = move as Move;
    const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more workspace')})`;
    return teams.flatMap(({ team, before, after }): Loss | [] =>
      isLower(before, after)
        ? {
            team,
            change,
            what: `${change.address}${more} moves from project ${name(from)} to ${name(to)}, which gives less access to it`,
            hint: (called) =>
              `give ${called} the same access to project ${name(to)}, or run this plan with a token of another team`,
          }
        : [],
    );
  });
}

/** Whether a team can do less with a workspace that moves. */
function isLower(before: MoveRight, after: MoveRight): boolean {
  if (before === null || before === 'unknown' || after === 'unknown') return false;
  return after === null || loweredInWorkspaces(before.permissions, after.permissions);
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
