import {
  idOf,
  type JournaledCall,
  type JournaledChange,
  type RunJournal,
} from '../apply/journal/parse-journal.ts';
import { mapListRule } from '../model/list-rule.ts';
import type { Values } from '../model/value.ts';

/** An undo, with the runs of the journal that it is for. */
export interface RevertedRuns {
  readonly undo: RunJournal;
  readonly reverted: readonly RunJournal[];
}

/** The present ids of objects that were created again, by their former ids. */
export type Successors = ReadonlyMap<string, string>;

/**
 * Finds the objects that undos created again. Only the journal of an undo proves that: another object can have the name
 * of a deleted one.
 *
 * @param undos the newest first
 */
export function successorsOf(undos: readonly RevertedRuns[]): Successors {
  const successors = new Map<string, string>();
  for (const { undo, reverted } of undos) {
    const created = new Map(
      undo.changes.flatMap((change) => {
        const id = change.action === 'create' ? idOf(change) : undefined;
        return id === undefined ? [] : [[objectOf(change), id] as const];
      }),
    );
    for (const change of reverted.flatMap(({ changes }) => changes)) {
      const successor = change.action === 'delete' ? created.get(objectOf(change)) : undefined;
      if (change.id === undefined || successor === undefined || successors.has(change.id)) continue;
      // A newer undo may have created it once more.
      successors.set(change.id, successors.get(successor) ?? successor);
    }
  }
  return successors;
}

/** An object that undos of a run created again. */
export interface Recreated {
  readonly id: string;
  /** What the undos sent for it, the oldest call first. */
  readonly calls: readonly JournaledCall[];
}

/**
 * Finds what undos of a run created again, by the former ids.
 *
 * @param undos the newest first
 */
export function recreatedBy(
  undos: readonly RevertedRuns[],
  { changes }: Pick<RunJournal, 'changes'>,
): ReadonlyMap<string, Recreated> {
  const deleted = new Map(deletedIn(changes).map((change) => [objectOf(change), change.id]));
  const ids = new Set(deleted.values());
  const ofRun = undos.filter(({ reverted }) =>
    reverted.some((run) => deletedIn(run.changes).some(({ id }) => ids.has(id))),
  );
  const recreated = new Map<string, Recreated>();
  for (const change of ofRun.toReversed().flatMap(({ undo }) => undo.changes)) {
    const former = deleted.get(objectOf(change));
    const id = idOf(change);
    if (former === undefined || id === undefined || change.action === 'delete') continue;
    const known = recreated.get(former);
    if (change.action === 'create') recreated.set(former, { id, calls: change.calls });
    else if (known?.id === id) recreated.set(former, { id, calls: [...known.calls, ...change.calls] });
  }
  return recreated;
}

function deletedIn(changes: readonly JournaledChange[]) {
  return changes.flatMap((change) =>
    change.action === 'delete' && change.id !== undefined ? { ...change, id: change.id } : [],
  );
}

/** The ids of the objects that a run may have deleted: no answer shows it. */
function doubtfulDeletes({ changes }: RunJournal): readonly string[] {
  return changes.flatMap(({ action, id, calls }) => {
    const isSent = calls.length > 0 && calls.every(({ outcome }) => outcome?.result !== 'done');
    return action === 'delete' && id !== undefined && isSent ? [id] : [];
  });
}

export function hasDoubtfulDeletes(run: RunJournal): boolean {
  return doubtfulDeletes(run).length > 0;
}

/** The run without the deletes that took no effect: a later run has deleted the same object. */
export function withoutLaterDeletes<Run extends RunJournal>(run: Run, later: readonly RunJournal[]): Run {
  const deleted = new Set(
    later.flatMap(({ changes }) =>
      changes.flatMap(({ action, id, calls }) => {
        const isDone = calls.some(({ outcome }) => outcome?.result === 'done');
        return action === 'delete' && id !== undefined && isDone ? [id] : [];
      }),
    ),
  );
  const failed = new Set(doubtfulDeletes(run).filter((id) => deleted.has(id)));
  return { ...run, changes: run.changes.filter(({ id }) => id === undefined || !failed.has(id)) };
}

/** Two objects of a kind never have one name at the same time. */
function objectOf({ kind, name, before, kept = before }: JournaledChange): string {
  return JSON.stringify([kind, kept.name ?? name]);
}

/**
 * The run as if it had met the objects that newer undos created again. What the run itself deleted keeps its id: its own
 * undo creates it again, or completes that.
 */
export function withSuccessors(run: RunJournal, successors: Successors): RunJournal {
  if (successors.size === 0) return run;
  const deleted = new Set(run.changes.flatMap(({ action, id }) => (action === 'delete' && id ? [id] : [])));
  const present = (id: string) => (deleted.has(id) ? id : (successors.get(id) ?? id));
  const aliases = Object.entries(run.aliases).map(([kind, ids]) => [
    kind,
    Object.fromEntries(Object.entries(ids).map(([alias, id]) => [alias, present(id)])),
  ]);
  return {
    ...run,
    aliases: Object.fromEntries(aliases) as RunJournal['aliases'],
    changes: run.changes.map((change) => ({
      ...change,
      ...(change.id !== undefined && { id: present(change.id) }),
      before: presentValues(change.before, present),
      ...(change.kept && { kept: presentValues(change.kept, present) }),
      calls: change.calls.map((call) => presentCall(call, present)),
    })),
  };
}

function presentCall(
  { call, written, outcome }: JournaledCall,
  present: (id: string) => string,
): JournaledCall {
  const { values, consumers, ...others } = written;
  return {
    call,
    written: {
      ...others,
      values: presentValues(values, present),
      ...(consumers && { consumers: mapListRule(consumers, (ids) => ids.map(present)) }),
    },
    ...(outcome && {
      outcome: {
        ...outcome,
        ...(outcome.id !== undefined && { id: present(outcome.id) }),
        ...(outcome.answered && { answered: presentValues(outcome.answered, present) }),
      },
    }),
  };
}

function presentValues(values: Values, present: (id: string) => string): Values {
  const { project, 'remote-state-consumers': consumers } = values;
  return {
    ...values,
    ...(typeof project === 'string' && { project: present(project) }),
    ...(Array.isArray(consumers) && { 'remote-state-consumers': consumers.map((id) => present(String(id))) }),
  };
}
