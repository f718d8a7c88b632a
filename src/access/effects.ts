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
import { aliasOf, type Configuration, rootsOf } from '../model/configuration.ts';
import { listDifference } from '../model/list-rule.ts';
import {
  type GrantOverview,
  type GrantState,
  type MoveEffect,
  membersOf,
  type Plan,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../model/plan.ts';
import { aliasesAndNames, consumerName, type Labels, labelsAfter } from '../resolve/labels.ts';
import {
  type Access,
  accessAround,
  type PlanAccess,
  type Readers,
  type Right,
  type StateRow,
} from './access.ts';
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
  const labels = labelsAfter(configuration, live, changes);
  const known = new Map([...(configuration.known ?? []), ...(names ?? [])]);
  const shown = names?.size ? { ...labels, aliases: aliasesAndNames({ ...configuration, known }) } : labels;
  const access = accessAround(live, difference);
  const inherited = inheritedSettingsOf(access, changes, shown);
  const inheritedTags = inheritedTagsOf(access, shown);
  const isScoped = rootsOf(configuration).some(({ scope }) => scope !== undefined);
  const { projects, teams } = labels.aliases;
  return {
    ...plan,
    effects: {
      stateAccess: stateAccessOf(access, shown),
      moves: movesIn(changes, access).map((move) => moveEffect(move, shown)),
      ...(inheritedTags.length > 0 && { inheritedTags }),
      ...(inherited.length > 0 && { inherited }),
    },
    overview: {
      workspaces: workspaceOverviews(access, changes, labels),
      grants: grantOverviews(access, labels),
      projects: live.projects.map((id) => aliasOf(labels.aliases, 'projects', id)).sort(),
      scope: isScoped ? (live.scopeWhole ? 'whole' : 'not-whole') : 'none',
      ...(projects.size + teams.size > 0 && {
        ids: { projects: Object.fromEntries(projects), teams: Object.fromEntries(teams) },
      }),
    },
  };
}

const noReaders: Readers = { via: 'list', keys: [] };

/** A workspace on both sides of a plan. One that does not exist has no readers. */
interface Sides {
  /** After the plan; of a deleted one, before it. */
  readonly row: StateRow;
  readonly before: Readers;
  readonly after: Readers;
}

/** Every workspace before or after the plan, by key. */
function sidesOf({ before, after }: PlanAccess): ReadonlyMap<string, Sides> {
  return new Map(
    [...before.states, ...after.states].map(([key, row]) => [
      key,
      {
        row,
        before: before.states.get(key)?.readers ?? noReaders,
        after: after.states.get(key)?.readers ?? noReaders,
      },
    ]),
  );
}

function workspaceOverviews(
  access: PlanAccess,
  changes: readonly Change[],
  { aliases, names }: Labels,
): WorkspaceOverview[] {
  const actions = new Map(changes.map(({ address, action }) => [address, action]));
  const shown = (project: string) => aliasOf(aliases, 'projects', project);
  const named = (readers: Readers): WorkspaceOverview['readers']['before'] => {
    if (readers.via === 'all') return '*';
    if (readers.via === 'list') return readers.keys.map((key) => consumerName(key, names)).sort();
    const { project } = readers.via === 'project' ? readers : {};
    return project === undefined ? null : [membersOf(shown(project))];
  };
  return [...sidesOf(access).values()]
    .map(({ row: { owner }, before, after }) => ({
      name: owner.name,
      action: actions.get(owner.address) ?? null,
      project: owner.attributes.project === undefined ? null : shown(owner.attributes.project),
      readers: { before: named(before), after: named(after) },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Which workspaces gain and lose access to the state of others, through a list, their project or the organization. */
function stateAccessOf(access: PlanAccess, { aliases, names }: Labels): StateAccessChange[] {
  const nameOf = (key: string) => {
    const project = projectIn(key);
    return project === undefined
      ? consumerName(key, names)
      : membersOf(aliasOf(aliases, 'projects', project));
  };
  const changeOf = readersChanges(access);
  return [...sidesOf(access)]
    .flatMap(([key, sides]) => {
      const { gains, loses, ...rest } = changeOf(key, sides);
      const [gained, lost] = [gains, loses].map((keys) => keys.map(nameOf).sort(groupsFirst));
      return gains.length + loses.length === 0
        ? []
        : [{ workspace: sides.row.owner.name, gains: gained ?? [], loses: lost ?? [], ...rest }];
    })
    .sort((a, b) => (a.workspace < b.workspace ? -1 : 1));
}

type ReadersChange = Omit<StateAccessChange, 'workspace'>;

const everyone = '*';
const none: ReadersChange = { gains: [], loses: [] };

/** All workspaces of a project, among the keys of readers. */
function groupOf(project: string): string {
  return `${project}/*`;
}

function projectIn(key: string): string | undefined {
  return key.endsWith('/*') ? key.slice(0, -2) : undefined;
}

function groupsFirst(a: string, b: string): number {
  const rank = (name: string) => (name.endsWith('*') ? 0 : 1);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

/** Compares the readers of a workspace, by key. */
function readersChanges({ before, after }: PlanAccess): (owner: string, sides: Sides) => ReadersChange {
  const moved = new Map<string, ReadersChange>();
  /** Who comes to a project and leaves it. A deleted workspace reads nothing, so nothing is taken from it. */
  const movesOf = (project: string): ReadersChange => {
    const known = moved.get(project);
    if (known) return known;
    const had = before.membersOf(project).filter((key) => after.states.has(key));
    const { add, remove } = listDifference(had, after.membersOf(project));
    const change = { gains: add, loses: remove };
    moved.set(project, change);
    return change;
  };
  return (owner, { before: had, after: has }) => {
    // A consumer in the list can still read a state that is shared with all.
    if (has.via === 'all') return had.via === 'all' ? none : { gains: [everyone], loses: [] };
    const [lost, gained] = [sharedGroup(had), sharedGroup(has)];
    if (isUnknown(has)) return lost === undefined ? none : { gains: [], loses: [lost], unknown: true };
    if (isUnknown(had)) return gained === undefined ? none : { gains: [gained], loses: [], unknown: true };
    const isOther = (key: string) => key !== owner;
    if (had.via === 'project' && has.via === 'project' && had.project === has.project) {
      const { gains, loses } = movesOf(String(has.project));
      return { gains: gains.filter(isOther), loses: loses.filter(isOther) };
    }
    const { add, remove } = listDifference(
      keysOf(before, had, has).filter(isOther),
      keysOf(after, has, had).filter(isOther),
    );
    return { gains: add, loses: remove };
  };
}

/** Shared with the workspaces of an unknown project is as unknown as a list that was not read. */
function isUnknown(readers: Readers): boolean {
  return readers.via === 'unknown' || (readers.via === 'project' && readers.project === undefined);
}

function sharedGroup(readers: Readers): string | undefined {
  if (readers.via === 'all') return everyone;
  return readers.via === 'project' && readers.project !== undefined ? groupOf(readers.project) : undefined;
}

/**
 * The readers one by one. Where the workspaces of a project are not known, it is all of them, with those of the other side
 * that are known to be in it: they neither gain nor lose access.
 */
function keysOf(access: Access, readers: Readers, others: Readers): readonly string[] {
  if (readers.via === 'list') return readers.keys;
  const group = sharedGroup(readers);
  if (readers.via !== 'project' || readers.project === undefined) return group === undefined ? [] : [group];
  const members = access.membersOf(readers.project);
  if (access.hasMembers(readers.project)) return members;
  const named = new Set(others.via === 'list' ? others.keys : []);
  return [groupOf(readers.project), ...members.filter((key) => named.has(key))];
}

function grantOverviews({ before, after }: PlanAccess, { aliases }: Labels): GrantOverview[] {
  const projects = new Set([...before.projects, ...after.projects]);
  const rows = [...projects].flatMap((project) => {
    const [had, has] = [before.rightsIn(project), after.rightsIn(project)];
    return [...new Set([...had.keys(), ...has.keys()])].map((team) => ({
      project: aliasOf(aliases, 'projects', project),
      team: aliasOf(aliases, 'teams', team),
      before: stateOf(had.get(team)?.[0]),
      after: stateOf(has.get(team)?.[0]),
    }));
  });
  const nameOf = ({ project, team }: GrantOverview) => `${project}/${team}`;
  return rows.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function stateOf(right: Right | undefined): GrantState | null {
  return right ? { access: right.level, permissions: right.permissions } : null;
}

/** A workspace that moves, with the rights of each team in its project before and after the plan, by id. */
export interface Move {
  readonly change: WorkspaceChange;
  readonly from: string;
  readonly to: string;
  /** Of the projects, those whose grants were not read. */
  readonly unknown: readonly string[];
  readonly teams: readonly { readonly team: string; readonly before: MoveRight; readonly after: MoveRight }[];
}

/** `null` for none. */
export type MoveRight = Right | 'unknown' | null;

/** The rights in the old project as they are now against those in the new one as they will be. */
export function movesIn(changes: readonly Change[], { before, after }: PlanAccess): readonly Move[] {
  return changesOf(changes, 'workspace').flatMap((change): Move[] => {
    const [from, to] = projectsOfMove(change);
    if (from === undefined || to === undefined) return [];
    const sideIn = ({ hasGrants, rightsIn }: Access, project: string) =>
      hasGrants(project) ? rightsIn(project) : undefined;
    const [had, has] = [sideIn(before, from), sideIn(after, to)];
    const rightIn = (side: typeof had, team: string): MoveRight =>
      side ? (side.get(team)?.[0] ?? null) : 'unknown';
    const teams = [...new Set([...(had?.keys() ?? []), ...(has?.keys() ?? [])])];
    return [
      {
        change,
        from,
        to,
        unknown: [...(had ? [] : [from]), ...(has ? [] : [to])],
        teams: teams.map((team) => ({ team, before: rightIn(had, team), after: rightIn(has, team) })),
      },
    ];
  });
}

function moveEffect({ change, from, to, unknown, teams }: Move, { aliases }: Labels): MoveEffect {
  const shown = (project: string) => aliasOf(aliases, 'projects', project);
  const effects = teams.flatMap(({ team, before, after }) => {
    const isUnknown = before === 'unknown' || after === 'unknown';
    const permissions = isUnknown ? [] : permissionChanges(before?.permissions, after?.permissions);
    // A team without access on the known side is one of those that the report sums up as unknown.
    if (isUnknown ? before === null || after === null : permissions.length === 0) return [];
    const name = aliasOf(aliases, 'teams', team);
    return { team: name, before: levelIn(before), after: levelIn(after), permissions };
  });
  return {
    workspace: change.name,
    from: shown(from),
    to: shown(to),
    teams: effects.sort((a, b) => (a.team < b.team ? -1 : 1)),
    unknown: unknown.map(shown),
  };
}

function levelIn(right: MoveRight): MoveEffect['teams'][number]['before'] {
  return right === 'unknown' ? right : (right?.level ?? null);
}
