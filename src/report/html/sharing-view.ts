import {
  isEveryWorkspace,
  type Overview,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../../model/plan.ts';
import { escapeTexts } from '../escape-controls.ts';
import { countedFigure, firstOf } from '../words.ts';

type SharedBy = 'list' | 'project switch' | 'organization switch';

interface Reader {
  /** A name, or words for every workspace. */
  readonly label: string;
  /** `null` if it was not read. */
  readonly project: string | null;
}

/** The workspaces that gain, lose or keep access to a state, by the same means. */
export interface SharingRow {
  readonly owner: string;
  readonly project: string | null;
  readonly readers: readonly Reader[];
  /** What the words for every workspace leave out. */
  readonly note?: string | undefined;
  readonly by: SharedBy;
  readonly change: 'gained' | 'lost' | null;
}

export interface SharingView {
  readonly changed: readonly SharingRow[];
  readonly same: readonly SharingRow[];
  readonly workspaces: number;
  readonly unread: number;
}

type SharingInput = Pick<Overview, 'workspaces'> & {
  readonly stateAccess: readonly StateAccessChange[];
};

type Readers = WorkspaceOverview['readers']['before'];
type Owner = Pick<WorkspaceOverview, 'name' | 'project' | 'readers'>;

export function sharingView({ workspaces, stateAccess }: SharingInput): SharingView {
  const projects = new Map(workspaces.map(({ name, project }) => [name, project]));
  const changes = new Map(stateAccess.map((change) => [change.workspace, change]));
  const readers = (names: readonly string[], isRest = false) =>
    names.map((name): Reader => {
      const project = projectOfMembers(name);
      const every = isRest ? 'every other workspace' : 'every workspace';
      if (name === '*') return { label: every, project: 'All projects' };
      if (project !== undefined) return { label: `${every} of ${project}`, project };
      return { label: name, project: projects.get(name) ?? null };
    });

  const changedRows = (owner: Owner, change: StateAccessChange): SharingRow[] => {
    const { gains, loses, unknown = false } = change;
    // With `*` on one side, the other side lists all readers by name, not only those that change.
    const except = loses.includes('*') ? gains : [];
    const rowOf = (side: 'gained' | 'lost', names: readonly string[], others: readonly string[]) => ({
      owner: owner.name,
      project: owner.project,
      readers: readers(names, others.length > 0 && except.length === 0),
      by: meansOf(names, side === 'gained' ? owner.readers.after : owner.readers.before),
      change: side,
    });
    if (unknown && gains.length > 0 && gains[0] !== '*') {
      const rest = { label: 'other readers (their list was not read)', project: null };
      return [rowOf('gained', gains, []), { ...rowOf('lost', [], []), readers: [rest], by: 'list' }];
    }
    const note =
      except.length > 0
        ? `except ${nameText(except)}`
        : unknown && loses.length > 0
          ? 'the remaining readers are unknown'
          : undefined;
    const rows = [
      rowOf('gained', except.length > 0 ? [] : gains, loses),
      { ...rowOf('lost', loses, gains), note },
    ];
    return rows.filter((row) => row.readers.length > 0);
  };

  const sameRow = ({ name, project, readers: { before, after } }: WorkspaceOverview): SharingRow[] => {
    const { gains = [], loses = [] } = changes.get(name) ?? {};
    const [had, has] = [asList(before), asList(after)];
    const other = new Set([name, ...gains, ...loses]);
    const isKept = (reader: string) =>
      !isEveryWorkspace(reader) || (had.includes(reader) && has.includes(reader));
    const kept = loses.includes('*')
      ? gains
      : [...new Set([...had, ...has])].filter((reader) => !other.has(reader) && isKept(reader));
    if (kept.length === 0) return [];
    return [
      { owner: name, project, readers: readers(kept), by: meansOf(kept, after ?? before), change: null },
    ];
  };

  const owners = new Map(workspaces.map((owner) => [owner.name, owner]));
  const unread = { project: null, readers: { before: null, after: null } };
  return {
    ...escapeTexts({
      changed: stateAccess.flatMap((change) =>
        changedRows(owners.get(change.workspace) ?? { ...unread, name: change.workspace }, change),
      ),
      same: workspaces.flatMap(sameRow),
    }),
    workspaces: workspaces.length,
    // A new workspace that declares no readers has none.
    unread: workspaces.filter(
      ({ action, readers: { before, after } }) => action !== 'create' && (before === null || after === null),
    ).length,
  };
}

function meansOf(names: readonly string[], side: Readers): SharedBy {
  if (names.includes('*') || side === '*') return 'organization switch';
  return [...names, ...asList(side)].some(isEveryWorkspace) ? 'project switch' : 'list';
}

function asList(readers: Readers): readonly string[] {
  return readers === '*' ? ['*'] : (readers ?? []);
}

function nameText(names: readonly string[]): string {
  const { shown, rest } = firstOf(names, 60);
  const labels = shown.map((name) => {
    const project = projectOfMembers(name);
    return project === undefined ? name : `every workspace of ${project}`;
  });
  return [...labels, ...(rest.length > 0 ? [countedFigure(rest.length, 'more workspace')] : [])].join(', ');
}
