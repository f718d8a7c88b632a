import { aliasOf } from '../model/configuration.ts';
import { listDifference } from '../model/list-rule.ts';
import { projectOfMembers, type StateAccessChange, type WorkspaceOverview } from '../model/plan.ts';
import { type Resource, resourcesOf } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { consumerName, type Labels } from '../resolve/labels.ts';

export interface StateAccessInput {
  readonly labels: Labels;
  /** All resources before and after the plan. */
  readonly before: readonly Resource[];
  readonly after: readonly Resource[];
  /** Whether every workspace of a project was read, by the project's id. */
  readonly hasMembers: (project: string) => boolean;
}

type Side = 'before' | 'after';
type Readers = WorkspaceOverview['readers']['before'];

/** The workspaces of a project by name, for projects of which all workspaces are known. */
interface Members {
  names(side: Side, project: string): readonly string[] | undefined;
  /** Those that the project gains and loses. A deleted workspace reads nothing, so it is not lost. */
  changes(project: string): Pick<StateAccessChange, 'gains' | 'loses'>;
  /** The project of a workspace that was read. */
  projectOf(side: Side, name: string): string | undefined;
}

/** Which workspaces gain and lose access to the state of others, through a list, their project or the organization. */
export function stateAccessOf(
  workspaces: readonly WorkspaceOverview[],
  input: StateAccessInput,
): StateAccessChange[] {
  const isShared = workspaces.some(
    ({ readers: { before, after } }) => sharingProject(before) ?? sharingProject(after),
  );
  // Without sharing in projects, the workspaces of a project do not matter.
  const members = membersIn(isShared ? input : { ...input, before: [], after: [] });
  return workspaces.flatMap(({ name, readers: { before, after } }) => {
    const change = readersChange(name, { before, after }, members);
    return change.gains.length + change.loses.length === 0 ? [] : [{ workspace: name, ...change }];
  });
}

const none = { gains: [], loses: [] } as const;

function readersChange(
  owner: string,
  { before, after }: WorkspaceOverview['readers'],
  members: Members,
): Omit<StateAccessChange, 'workspace'> {
  // A consumer in the list can still read state that is shared with all.
  if (after === '*') return before === '*' ? none : { gains: ['*'], loses: [] };
  if (before === '*' && after === null) return { gains: [], loses: ['*'], unknown: true };
  const formerly = sharingProject(before);
  const now = sharingProject(after);
  // The list that a switch makes ineffective is not read, so single readers on that side are unknown.
  if (formerly !== undefined && after === null) return { gains: [], loses: asList(before), unknown: true };
  if (now !== undefined && before === null) return { gains: asList(after), loses: [], unknown: true };
  // An undeclared consumer list is neither read nor changed.
  if (before === null || after === null) return none;
  if (formerly !== undefined && formerly === now) return without(owner, members.changes(now));
  const had = named('before', asList(before), { owner, members, others: after });
  const has = named('after', after, { owner, members, others: asList(before) });
  const { add, remove } = listDifference(had, has);
  return { gains: add, loses: remove };
}

/** The project whose workspaces read the state. */
function sharingProject(readers: Readers): string | undefined {
  return Array.isArray(readers) && readers.length === 1 ? projectOfMembers(String(readers[0])) : undefined;
}

function asList(readers: Exclude<Readers, null> | null): readonly string[] {
  if (readers === null) return [];
  return typeof readers === 'string' ? [readers] : readers;
}

interface NamedContext {
  readonly owner: string;
  readonly members: Members;
  /** The readers of the other side. */
  readonly others: readonly string[];
}

/**
 * The readers by name. Where the workspaces of a project are not known, it is all of them, with those of the other side
 * that are known to be in it: they neither gain nor lose access.
 */
function named(side: Side, readers: readonly string[], { owner, members, others }: NamedContext): string[] {
  return readers.flatMap((reader) => {
    const project = projectOfMembers(reader);
    if (project === undefined) return reader;
    const known = members.names(side, project);
    if (known) return known.filter((name) => name !== owner);
    return [reader, ...others.filter((name) => members.projectOf(side, name) === project)];
  });
}

function without(
  owner: string,
  { gains, loses }: Pick<StateAccessChange, 'gains' | 'loses'>,
): Pick<StateAccessChange, 'gains' | 'loses'> {
  const isOther = (name: string) => name !== owner;
  return { gains: gains.filter(isOther), loses: loses.filter(isOther) };
}

function membersIn({ before, after, labels, hasMembers }: StateAccessInput): Members {
  const sides = { before: rowsOf(before, labels), after: rowsOf(after, labels) };
  const ids = new Map([...sides.before, ...sides.after].map(({ id, project }) => [project, id]));
  const byProject = {
    before: groupBy(sides.before, ({ project }) => project),
    after: groupBy(sides.after, ({ project }) => project),
  };
  const byName = {
    before: new Map(sides.before.map(({ name, project }) => [name, project])),
    after: new Map(sides.after.map(({ name, project }) => [name, project])),
  };
  const known = new Map<string, Pick<StateAccessChange, 'gains' | 'loses'>>();
  const namesOf = (side: Side, project: string) =>
    (byProject[side].get(project) ?? []).map(({ name }) => name).sort();
  return {
    names: (side, project) => (hasMembers(ids.get(project) ?? project) ? namesOf(side, project) : undefined),
    projectOf: (side, name) => byName[side].get(name),
    changes(project) {
      const found = known.get(project);
      if (found) return found;
      const stays = (name: string) => byName.after.has(name);
      const had = namesOf('before', project).filter(stays);
      const { add, remove } = listDifference(had, namesOf('after', project));
      const change = { gains: add, loses: remove };
      known.set(project, change);
      return change;
    },
  };
}

interface Row {
  readonly name: string;
  /** As it is shown. */
  readonly project: string;
  readonly id: string;
}

/** The workspaces with a known project. A renamed one has its name after the plan on both sides. */
function rowsOf(resources: readonly Resource[], { aliases, names }: Labels): Row[] {
  const byProject = groupBy(resourcesOf(resources, 'workspace'), ({ attributes }) => attributes.project);
  return [...byProject].flatMap(([id, workspaces]): Row[] => {
    if (typeof id !== 'string') return [];
    const project = aliasOf(aliases, 'projects', id);
    return workspaces.map((one) => ({
      name: one.id === undefined ? one.name : consumerName(one.id, names),
      project,
      id,
    }));
  });
}
