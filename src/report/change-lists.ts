import type { Cause } from '../model/change.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { groupBy } from '../model/value.ts';
import type { ChangeView, FieldView } from './change-view.ts';

/** The titles of sections of a report with a base. */
export const partTitles = {
  change: 'This change',
  drift: 'Already different',
  dropped: 'No longer declared',
} as const;

/** The changes of this revision, and what was already different. An update can be in both, with its fields in one each. */
export function partsOf(changes: readonly ChangeView[]): {
  readonly caused: readonly ChangeView[];
  readonly drifted: readonly ChangeView[];
} {
  const isDelete = ({ action }: ChangeView) => action === 'delete';
  // Formats of limited size omit the last ones.
  const ordered = [...changes.filter(isDelete), ...changes.filter((change) => !isDelete(change))];
  const caused = ordered.flatMap((change) => partOf(change, 'change') ?? []);
  const taken = new Set(caused.map(({ address }) => address));
  const drifted = ordered.flatMap((change) => {
    const part = partOf(change, 'drift');
    // What one request sends is shown once.
    return part && taken.has(change.address)
      ? { ...part, calls: [], isContinued: true as const }
      : (part ?? []);
  });
  return { caused, drifted };
}

function partOf(change: ChangeView, cause: Cause): ChangeView | undefined {
  if (change.action !== 'update') return change.cause === cause ? change : undefined;
  const fields = change.fields.filter((field) => field.cause === cause);
  if (fields.length === 0) return undefined;
  // A level implies the permissions.
  const hasLevel = fields.some(({ path }) => path === 'access');
  return { ...change, fields, permissions: hasLevel ? change.permissions : [] };
}

/** Changes that are listed one by one, and groups of equal ones. */
export type ChangeItem = ChangeView | ChangeGroup;

type Members = readonly [ChangeView, ...ChangeView[]];

/** Updates of several resources that are equal in every field. */
export interface ChangeGroup {
  /** In the order of the plan. */
  readonly members: Members;
  /** What the members have in common. */
  readonly fields: readonly GroupField[];
}

export interface GroupField {
  readonly field: FieldView;
  /** The lines that declare it; several if the members have separate lines. */
  readonly places: readonly SourceLocation[];
}

/** Fewer equal updates are listed one by one. */
const leastMembers = 3;

export function isGroup(item: ChangeItem): item is ChangeGroup {
  return 'members' in item;
}

/**
 * Groups equal updates; a group is listed at its first member. Creates and deletes are never grouped, because their
 * names are the change. Neither is a change that failed or was skipped.
 *
 * @param beside What is shown beside the updates of a group, which has to be equal, too.
 */
export function groupChanges(
  changes: readonly ChangeView[],
  { full, beside }: { readonly full: boolean; readonly beside: (change: ChangeView) => unknown },
): readonly ChangeItem[] {
  if (full) return changes;
  const keys = new Map(changes.map((change) => [change, keyOf(change, beside(change))]));
  const groups = groupBy(changes, (change) => keys.get(change));
  const listed = new Set<string>();
  return changes.flatMap((change): ChangeItem[] => {
    const key = keys.get(change);
    const members = groups.get(key) ?? [];
    if (key === undefined || members.length < leastMembers) return [change];
    if (listed.has(key)) return [];
    listed.add(key);
    return [groupOf(members as unknown as Members)];
  });
}

function groupOf(members: Members): ChangeGroup {
  const [{ fields }] = members;
  return {
    members,
    fields: fields.map((field) => {
      const origins = members.flatMap(({ origins }) => origins[field.path] ?? []);
      const places = [...new Map(origins.map((place) => [placeKey(place), place])).values()];
      return { field: sharedField(field), places };
    }),
  };
}

function placeKey({ file, line }: SourceLocation): string {
  return JSON.stringify([file, line]);
}

/** Equal for changes that are printed alike. */
function keyOf(
  { action, kind, fields, permissions, error, outcome }: ChangeView,
  beside: unknown,
): string | undefined {
  if (action !== 'update' || error !== undefined || (outcome !== undefined && outcome !== 'done'))
    return undefined;
  return JSON.stringify([kind, outcome, fields.map(sharedField), permissions, beside]);
}

/** Without the entries that a list keeps, which differ from member to member. */
function sharedField(field: FieldView): FieldView {
  if (field.shape !== 'list') return field;
  const { path, cause, add, remove } = field;
  return { path, cause, shape: 'list-change', add, remove };
}
