import {
  idOf,
  type JournaledCall,
  type JournaledChange,
  type RunJournal,
} from '../apply/journal/parse-journal.ts';

/*
 * Undos create objects again, with other ids. Only the journal of an undo proves that: another object can have the name of a
 * deleted one.
 */

export interface RevertedRuns {
  readonly undo: RunJournal;
  readonly reverted: readonly RunJournal[];
}

export interface Recreated {
  readonly id: string;
  /** What the undos sent for it, the oldest call first. */
  readonly calls: readonly JournaledCall[];
}

/**
 * What undos created again, by the former ids.
 *
 * @param undos the oldest first: a newer one completes what an older one created, or creates it once more
 */
export function recreationsOf(undos: readonly RevertedRuns[]): ReadonlyMap<string, Recreated> {
  const recreated = new Map<string, Recreated>();
  for (const { undo, reverted } of undos) {
    const deleted = reverted.flatMap(({ changes }) => changes.filter(({ action }) => action === 'delete'));
    const formerIds = new Map(deleted.map((change) => [objectOf(change), change.id]));
    for (const change of undo.changes) {
      const [former, id] = [formerIds.get(objectOf(change)), idOf(change)];
      if (former === undefined || id === undefined || change.action === 'delete') continue;
      const known = recreated.get(former);
      if (change.action === 'create') recreated.set(former, { id, calls: change.calls });
      else if (known?.id === id) recreated.set(former, { id, calls: [...known.calls, ...change.calls] });
    }
  }
  return recreated;
}

/** Two objects of a kind never have one name at the same time. */
function objectOf({ kind, name, before, kept = before }: JournaledChange): string {
  return JSON.stringify([kind, kept.name ?? name]);
}

/**
 * The run as if it had met the objects that undos created again. What the run itself deleted keeps its id: its own undo creates it
 * again, or completes that.
 */
export function withRecreated(run: RunJournal, recreated: ReadonlyMap<string, Recreated>): RunJournal {
  if (recreated.size === 0) return run;
  const deleted = new Set(run.changes.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])));
  const present = (id: string): string => {
    const next = deleted.has(id) ? undefined : recreated.get(id)?.id;
    return next === undefined || next === id ? id : present(next);
  };
  return withOtherIds(run, present);
}

/** Data with other ids: no other text is equal to an id of the service. */
export function withOtherIds<Data>(data: Data, present: (id: string) => string): Data {
  return JSON.parse(JSON.stringify(data), (_key, value) =>
    typeof value === 'string' ? present(value) : value,
  );
}
