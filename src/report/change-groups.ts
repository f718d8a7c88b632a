import type { SourceLocation } from '../model/diagnostic.ts';
import { groupBy } from '../model/value.ts';
import type { ChangeView, FieldView } from './change-view.ts';

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
 */
export function groupChanges(changes: readonly ChangeView[], { full = false } = {}): readonly ChangeItem[] {
  if (full) return changes;
  const keys = new Map(changes.map((change) => [change, keyOf(change)]));
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
function keyOf({ action, kind, fields, permissions, error, outcome }: ChangeView): string | undefined {
  if (action !== 'update' || error !== undefined || (outcome !== undefined && outcome !== 'done'))
    return undefined;
  return JSON.stringify([kind, outcome, fields.map(sharedField), permissions]);
}

/** Without the entries that a list keeps, which differ from member to member. */
function sharedField(field: FieldView): FieldView {
  if (field.shape !== 'list') return field;
  const { path, cause, add, remove } = field;
  return { path, ...(cause && { cause }), shape: 'list-change', add, remove };
}
