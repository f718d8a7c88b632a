import type { Difference } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import {
  type Change,
  changesOf,
  permissionChanges,
  projectsOfMove,
  type WorkspaceChange,
} from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { listDifference } from '../model/list-rule.ts';
import {
  type Effects,
  type GrantOverview,
  type GrantState,
  type MoveEffect,
  membersOf,
  type Plan,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../model/plan.ts';
import { compareTexts, noneIfEmpty } from '../model/value.ts';
import { consumerName, type Labels, labelledField, labelsAfter } from '../resolve/labels.ts';
import { type Access, accessAround, everyone, type PlanAccess, type Right, type StateRow } from './access.ts';
import { inheritedSettingsOf, inheritedTagsOf } from './inherited.ts';

/** What the effects of a plan are computed from. */
export interface PlanEffectsInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Difference;
  /** Names that were read for policies. Effects show them; the overview and changes must not depend on policies. */
  readonly names?: ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;
}

/**
 * A plan with what follows from its changes: the overview of state sharing and team access, and its effects.
 *
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * const input = { configuration, live, difference: diff(configuration, live) };
 * const plan = withEffects(createPlan({ ...input, address }), input);
 * console.log(plan.effects.stateAccess.length); // 0
 * ```
 */
export function withEffects<Planned extends object>(
  plan: Planned,
  { configuration, live, difference, names }: PlanEffectsInput,
): Planned & Pick<Plan, 'effects' | 'overview'> {
  const { changes } = difference;
  const { roots = [configuration] } = configuration;
  const labels = labelsAfter(configuration, live, changes);
  const known = new Map([...(configuration.known ?? []), ...(names ?? [])]);
  const shown = names?.size ? labelsAfter({ ...configuration, known }, live, changes) : labels;
  const access = accessAround(live, difference);
  const isScoped = roots.some(({ scope }) => scope !== undefined);
  const { projects, teams } = labels.aliases;
  const ids = { projects: Object.fromEntries(projects), teams: Object.fromEntries(teams) };
  const [stateAccess, moves] = [stateAccessOf(access), movesIn(changes, access)];
  const inherited = inheritedSettingsOf(access, changes);
  const under = (own: Labels, tags: Effects['inheritedTags'] = []): Effects => {
    const namesOf = naming(own);
    return {
      stateAccess: stateAccess.map((one) => ({
        ...one,
        ...{ gains: namesOf(one.gains), loses: namesOf(one.loses) },
      })),
      moves: moves.map((move) => moveEffect(move, own)),
      inheritedTags: noneIfEmpty(tags),
      inherited: noneIfEmpty(inherited.map((one) => ({ ...one, ...labelledField(one, own) }))),
    };
  };
  return {
    ...plan,
    effects: under(shown, inheritedTagsOf(access, shown)),
    overview: {
      effects: under({ ...labels, names: new Map(), shown: (_kind, id) => id }),
      workspaces: workspaceOverviews(access, changes, labels),
      grants: grantOverviews(access, labels),
      projects: live.projects.map((id) => labels.shown('projects', id)).sort(),
      scope: isScoped ? (live.scopeWhole ? 'whole' : 'not-whole') : 'none',
      ids: [...projects, ...teams].length > 0 ? ids : undefined,
    },
  };
}

function readersOf({ states }: Access, key: string): readonly string[] | undefined {
  const row = states.get(key);
  return row ? row.readers : [];
}

function ownersOf({ before, after }: PlanAccess): ReadonlyMap<string, StateRow> {
  return new Map([...before.states, ...after.states]);
}

function naming({ shown, names }: Labels): (keys: readonly string[]) => string[] {
  const named = (key: string) => {
    const project = projectOfMembers(key);
    return project === undefined ? consumerName(key, names) : membersOf(shown('projects', project));
  };
  return (keys) => keys.map(named).sort(compareTexts);
}

function workspaceOverviews(
  access: PlanAccess,
  changes: readonly Change[],
  labels: Labels,
): WorkspaceOverview[] {
  const actions = new Map(changes.map(({ address, action }) => [address, action]));
  const namesOf = naming(labels);
  const named = (readers: readonly string[] | undefined) =>
    readers?.includes(everyone) ? ('*' as const) : readers ? namesOf(readers) : null;
  return [...ownersOf(access)]
    .map(([key, { owner }]) => ({
      name: owner.name,
      action: actions.get(owner.address) ?? null,
      project:
        owner.attributes.project === undefined ? null : labels.shown('projects', owner.attributes.project),
      readers: { before: named(readersOf(access.before, key)), after: named(readersOf(access.after, key)) },
    }))
    .sort((a, b) => compareTexts(a.name, b.name));
}

/** By key. */
function stateAccessOf(access: PlanAccess): StateAccessChange[] {
  const changeOf = readersChanges(access);
  return [...ownersOf(access)]
    .map(([key, { owner }]) => ({ workspace: owner.name, ...changeOf(key) }))
    .filter(({ gains, loses }) => gains.length + loses.length > 0)
    .sort((a, b) => compareTexts(a.workspace, b.workspace));
}

type ReadersChange = Omit<StateAccessChange, 'workspace'>;

const none: ReadersChange = { gains: [], loses: [] };

function readersChanges({ before, after }: PlanAccess): (owner: string) => ReadersChange {
  const known = new Map<string, ReadersChange>();
  /** Who comes to a project and leaves it. A deleted workspace reads nothing, so nothing is taken from it. */
  const movesOf = (project: string): ReadersChange => {
    const found = known.get(project);
    if (found) return found;
    const had = before.membersOf(project).filter((key) => after.states.has(key));
    const { add, remove } = listDifference(had, after.membersOf(project));
    known.set(project, { gains: add, loses: remove });
    return { gains: add, loses: remove };
  };
  return (owner) => {
    const [had, has] = [readersOf(before, owner), readersOf(after, owner)];
    const [lost, gained] = [groupIn(had), groupIn(has)];
    // A consumer in the list can still read a state that is shared with all.
    if (gained === everyone) return lost === everyone ? none : { gains: [everyone], loses: [] };
    if (has === undefined) return lost === undefined ? none : { gains: [], loses: [lost], unknown: true };
    if (had === undefined) return gained === undefined ? none : { gains: [gained], loses: [], unknown: true };
    const isOther = (key: string) => key !== owner;
    const project = lost === gained ? projectOfMembers(lost ?? '') : undefined;
    if (project !== undefined) return movesOf(project);
    const { add, remove } = listDifference(eachOf(before, had, has), eachOf(after, has, had));
    return { gains: add.filter(isOther), loses: remove.filter(isOther) };
  };
}

function groupIn(readers: readonly string[] = []): string | undefined {
  return readers.find((key) => key === everyone || projectOfMembers(key) !== undefined);
}

/**
 * The readers one by one. Where the workspaces of a project are not known, it is all of them, with those of the other side
 * that are known to be in it: they neither gain nor lose access.
 */
function eachOf(access: Access, readers: readonly string[], others: readonly string[]): readonly string[] {
  const { membersOf: knownIn, hasMembers } = access;
  return readers.flatMap((key) => {
    const project = projectOfMembers(key);
    if (project === undefined) return key;
    const members = knownIn(project);
    const named = new Set(others);
    return hasMembers(project) ? members : [key, ...members.filter((one) => named.has(one))];
  });
}

function grantOverviews({ before, after }: PlanAccess, { shown }: Labels): GrantOverview[] {
  const projects = new Set([...before.projects, ...after.projects]);
  const rows = [...projects].flatMap((project) => {
    const [had, has] = [before.rightsIn(project), after.rightsIn(project)];
    return [...new Set([...had.keys(), ...has.keys()])].map((team) => ({
      project: shown('projects', project),
      team: shown('teams', team),
      before: stateOf(had.get(team)?.[0]),
      after: stateOf(has.get(team)?.[0]),
    }));
  });
  const nameOf = ({ project, team }: GrantOverview) => `${project}/${team}`;
  return rows.sort((a, b) => compareTexts(nameOf(a), nameOf(b)));
}

function stateOf(right: Right | undefined): GrantState | null {
  return right ? { access: right.level, permissions: right.permissions } : null;
}

/** A workspace that moves, with the rights of each team in its project before and after the plan, by id. */
interface Move {
  readonly change: WorkspaceChange;
  readonly from: string;
  readonly to: string;
  readonly unknown: readonly string[];
  readonly teams: readonly { readonly team: string; readonly before: MoveRight; readonly after: MoveRight }[];
}

/** `null` for none. */
type MoveRight = Right | 'unknown' | null;

export function movesIn(changes: readonly Change[], { before, after }: PlanAccess): readonly Move[] {
  return changesOf(changes, 'workspace').flatMap((change): Move[] => {
    const [from, to] = projectsOfMove(change);
    if (from === undefined || to === undefined) return [];
    const sideIn = ({ hasGrants, rightsIn }: Access, project: string) =>
      hasGrants(project) ? rightsIn(project) : undefined;
    const [had, has] = [sideIn(before, from), sideIn(after, to)];
    const rightIn = (side: typeof had, team: string): MoveRight =>
      side ? (side.get(team)?.[0] ?? null) : 'unknown';
    const teams = [...new Set([had, has].flatMap((side) => (side ? [...side.keys()] : [])))];
    return [
      {
        change,
        from,
        to,
        unknown: [had ? [] : from, has ? [] : to].flat(),
        teams: teams.map((team) => ({ team, before: rightIn(had, team), after: rightIn(has, team) })),
      },
    ];
  });
}

function moveEffect({ change, from, to, unknown, teams }: Move, { shown }: Labels): MoveEffect {
  const effects = teams.flatMap(({ team, before, after }) => {
    const isUnknown = before === 'unknown' || after === 'unknown';
    const permissions = isUnknown ? [] : permissionChanges(before?.permissions, after?.permissions);
    if (!isUnknown && permissions.length === 0) return [];
    const name = shown('teams', team);
    return { team: name, before: levelIn(before), after: levelIn(after), permissions };
  });
  return {
    workspace: change.name,
    from: shown('projects', from),
    to: shown('projects', to),
    teams: effects.sort((a, b) => compareTexts(a.team, b.team)),
    unknown: unknown.map((project) => shown('projects', project)),
  };
}

function levelIn(right: MoveRight): MoveEffect['teams'][number]['before'] {
  return right === 'unknown' ? right : (right?.level ?? null);
}
