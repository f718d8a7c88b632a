import type { UnfinishedCreations } from '../../diff/comparison.ts';
import type { Outcome } from '../../model/apply-result.ts';
import { changesOf } from '../../model/change.ts';
import { AttuneError, type Diagnostic, note } from '../../model/diagnostic.ts';
import type { Call, Written } from '../../model/plan.ts';
import { isRecord, jsonIn, type Values } from '../../model/value.ts';
import { writtenBy } from '../../service/call-codec.ts';
import { callMisfit } from '../check-calls.ts';
import {
  type ChangeRecord,
  creations,
  type EndRecord,
  type JournalRecord,
  journalFormat,
  type OutcomeRecord,
  type RunRecord,
} from './journal.ts';

export interface RunJournal extends Omit<RunRecord, 'record' | 'format'> {
  readonly changes: readonly JournaledChange[];
  /** Whether the run ended. If not, it was interrupted, and its last calls may or may not have taken effect. */
  readonly isWhole: boolean;
  readonly isComplete: boolean;
  /** How many changes of the plan were not sent: they are not in `changes`. Those that are held do not count. */
  readonly skipped: number;
}

export interface JournaledChange extends Omit<ChangeRecord, 'record' | 'calls'> {
  readonly calls: readonly JournaledCall[];
  /** All values that were read of a workspace before it was deleted. */
  readonly kept?: Values | undefined;
  /** If the run did not end, what its calls show. */
  readonly result: Exclude<Outcome, 'held'>;
}

/** A call that took effect or may have; calls that the service refused are left out. */
export interface JournaledCall {
  readonly call: Call;
  readonly written: Written;
  readonly outcome?: OutcomeRecord;
}

/** The last line of an interrupted run may be incomplete: the call was not sent, or its outcome can be read from the service. */
export function parseJournal(
  text: string,
  file: string,
  check: (record: unknown) => readonly string[],
): RunJournal[] {
  const runs: Draft[] = [];
  for (const { number, record } of recordsOf(text, file, check)) {
    if (record.record === 'run') runs.push({ run: record, changes: [], calls: new Map(), kept: new Map() });
    else addRecord(runs.at(-1), record, `${file}:${number}`);
  }
  if (runs.length > 0) return runs.map(finished);
  throw new AttuneError(`${file} contains no complete record: its run ended before the first call`, {
    code: 'bad-journal',
    hint: 'remove the file: no call was sent, so there is nothing to undo',
  });
}

interface Draft {
  readonly run: RunRecord;
  readonly changes: ChangeRecord[];
  readonly calls: Map<number, JournaledCall & { readonly address: string }>;
  readonly kept: Map<string, Values>;
  end?: EndRecord;
}

function addRecord(draft: Draft | undefined, record: Exclude<JournalRecord, RunRecord>, at: string): void {
  if (draft === undefined) throw notAJournal(at, 'it does not begin with a run');
  switch (record.record) {
    case 'change':
      draft.changes.push(record);
      return;
    case 'kept':
      draft.kept.set(record.address, record.values);
      return;
    case 'call': {
      const { record: _record, number, address, ...call } = record;
      const change = draft.changes.find((one) => one.address === address);
      if (change === undefined) throw notAJournal(at, `there is no change of ${address}`);
      const id = change.action === 'create' ? idOfCreation(draft, call, address) : change.id;
      const misfit = callMisfit(call, { ...change, id }, draft.run.organization);
      if (misfit !== undefined) throw notAJournal(at, misfit);
      draft.calls.set(number, { address, call, written: writtenBy(call, draft.run.dialect) });
      return;
    }
    case 'outcome': {
      const call = draft.calls.get(record.number);
      if (call === undefined) throw notAJournal(at, `there is no call number ${record.number}`);
      draft.calls.set(record.number, { ...call, outcome: record });
      return;
    }
    case 'end':
      draft.end = record;
      return;
    default:
      record satisfies never;
  }
}

/** The id of the object that a change created. If the outcome of the create is lost, a later call contains it. */
function idOfCreation({ calls }: Draft, { path }: Call, address: string): string | undefined {
  // A recovery that was refused comes before the create.
  const sent = [...calls.values()].filter(
    (call) => call.address === address && creations.has(call.call.operation),
  );
  const outcomes = sent.flatMap(({ outcome }) => outcome ?? []);
  const id = outcomes.find((outcome) => outcome.id !== undefined)?.id;
  if (id !== undefined || (sent.length > 0 && outcomes.length === sent.length)) return id;
  return /^\/workspaces\/([A-Za-z0-9_-]+)\//.exec(path)?.[1];
}

function finished({ run, changes, calls, kept, end }: Draft): RunJournal {
  const { record: _record, format: _format, ...about } = run;
  const effective = [...calls.values()].filter(({ outcome }) => mayHaveTakenEffect(outcome));
  return {
    ...about,
    isWhole: end !== undefined,
    isComplete: end !== undefined && end.complete !== false,
    skipped: Object.values(end?.results ?? {}).filter((result) => result === 'skipped').length,
    changes: changes.map((record) => {
      const { record: _change, calls: _planned, ...change } = record;
      return {
        ...change,
        calls: effective.filter(({ address }) => address === change.address),
        result: end ? (end.results?.[change.address] ?? 'done') : resultOf(calls, record),
        kept: kept.get(change.address),
      };
    }),
  };
}

function resultOf(
  sent: Draft['calls'],
  { address, calls: planned = 0 }: ChangeRecord,
): JournaledChange['result'] {
  const own = [...sent.values()].filter((call) => call.address === address);
  const done = own.filter(({ outcome }) => outcome?.result === 'done').length;
  if (done === 0) return 'failed';
  return done === own.length && done >= planned ? 'done' : 'partial';
}

export function idOf({ id, calls }: JournaledChange): string | undefined {
  return id ?? calls.find(({ outcome }) => outcome?.id !== undefined)?.outcome?.id;
}

/** Only a refusal by the service proves that a call took no effect; a server error or a lost answer does not. */
export function mayHaveTakenEffect(outcome: OutcomeRecord | undefined): boolean {
  const { status, notOurs = false } = outcome?.error ?? {};
  return outcome?.result !== 'failed' || (!notOurs && (status === undefined || status >= 500));
}

/** The workspaces that runs created without sending all of their tags. A creation of a complete run is not among them. */
export function unfinishedCreations(runs: readonly RunJournal[]): UnfinishedCreations {
  const created = runs
    .filter(({ isComplete }) => !isComplete)
    .flatMap(({ changes }) =>
      changesOf(changes, 'workspace')
        .filter(({ action }) => action === 'create')
        .flatMap((change) => {
          const id = idOf(change);
          return id === undefined ? [] : [[id, unsent(change)] as const];
        }),
    );
  return new Map(created.filter(([, parts]) => parts.size > 0));
}

function unsent({ calls }: JournaledChange): ReadonlySet<'tags' | 'tagged'> {
  const done = calls.filter(({ outcome }) => outcome?.result === 'done');
  const sent = { tags: done.some(hasTaken), tagged: done.some(({ written }) => written.bindings) };
  return new Set((['tags', 'tagged'] as const).filter((part) => !sent[part]));
}

/** The tags in a create are undocumented: the service took them only if its answer shows them. */
function hasTaken({ call, written: { tags: sent }, outcome }: JournaledCall): boolean {
  if (sent === undefined) return false;
  if (call.operation !== 'createWorkspace' || !('add' in sent)) return true;
  const { tags } = outcome?.answered ?? {};
  const shown = new Set(Array.isArray(tags) ? tags.map((tag) => String(tag).toLowerCase()) : []);
  return sent.add.every((tag) => shown.has(tag.toLowerCase()));
}

/** A run that is killed cannot report what it changed. */
export function unendedRuns(runs: readonly Pick<RunJournal, 'isWhole'>[]): Diagnostic[] {
  if (runs.every(({ isWhole }) => isWhole)) return [];
  const message = 'the newest journal has no end: its run was interrupted, or is not over';
  const hint = 'apply again for the rest, or run `attune undo --last` to revert what it changed';
  return [note('journal-cut-off', message, { hint })];
}

function* recordsOf(
  text: string,
  file: string,
  check: (record: unknown) => readonly string[],
): Generator<{ readonly number: number; readonly record: JournalRecord }> {
  const lines = text.split('\n');
  // The rest after the last line break is empty, or an incomplete record of an interrupted run.
  const torn = lines.pop();
  if (torn && jsonIn(torn) !== undefined) lines.push(torn);
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const record = jsonIn(line);
    if (record === undefined) throw notAJournal(`${file}:${number}`, 'this line is not JSON');
    if (index === 0 && (!isRecord(record) || record.format !== journalFormat)) {
      const format = isRecord(record) && typeof record.format === 'string' ? record.format : undefined;
      throw notAJournal(file, format ? `its format is ${format.slice(0, 100)}` : 'it has no format');
    }
    const errors = check(record);
    if (errors.length > 0) throw notAJournal(`${file}:${number}`, errors.slice(0, 3).join('; '));
    yield { number, record: record as JournalRecord };
  }
}

function notAJournal(at: string, why: string): AttuneError {
  return new AttuneError(`${at} is not a journal of this version (${journalFormat}): ${why}`, {
    code: 'bad-journal',
    hint: 'use a journal that `attune apply` wrote',
  });
}
