import type { Aliases } from '../../desired/configuration.ts';
import type { Action } from '../../model/change.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Call } from '../../model/plan.ts';
import type { ResourceKind } from '../../model/state.ts';
import type { Values } from '../../model/value.ts';

/** The first record of each run in a journal names it; see schemas/journal.schema.json. */
export const journalFormat = 'attune.journal/1';

/** A plan is about to be applied. What follows is about it, up to the next one. */
export interface RunRecord {
  readonly record: 'run';
  readonly format: 'attune.journal/1';
  readonly organization: string;
  readonly address: string;
  readonly dialect: Dialect;
  /** The digest that `plan --format json` prints for it. */
  readonly plan: string;
  /** When it began, as ISO 8601. */
  readonly at: string;
  /** What ids are called where they are printed: ids by their aliases, per kind. */
  readonly aliases: Readonly<Record<keyof Aliases, Readonly<Record<string, string>>>>;
}

/** The first call of a change is about to be sent: what it was computed from. */
export interface ChangeRecord {
  readonly record: 'change';
  readonly address: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly action: Action;
  readonly id?: string;
  /** The live values before; `exists` is false where there was nothing. */
  readonly before: Values;
}

/** A workspace is about to be deleted: all that is known of it. */
export interface KeptRecord {
  readonly record: 'kept';
  readonly address: string;
  readonly values: Values;
}

/** A call is about to be sent. */
export interface CallRecord extends Call {
  readonly record: 'call';
  readonly number: number;
  readonly address: string;
}

/** A call has ended. One without this record may have taken effect. */
export interface OutcomeRecord {
  readonly record: 'outcome';
  /** Of the call. */
  readonly number: number;
  readonly result: 'done' | 'failed';
  /** What the service gave the thing that was created. */
  readonly id?: string;
  /** What the service answered for the paths of the change. */
  readonly answered?: Values;
  /** Why it failed. Without a status no usable answer came, and it may have taken effect. */
  readonly error?: {
    readonly message: string;
    readonly status?: number;
    /** What has the name is not what this call would have created, so the call took no effect. */
    readonly notOurs?: true;
  };
}

/** The run has ended; without it, it was cut off. */
export interface EndRecord {
  readonly record: 'end';
}

/** The kinds of record. */
export const recordKinds = ['run', 'change', 'kept', 'call', 'outcome', 'end'] as const;

/** One line of a journal. */
export type JournalRecord = RunRecord | ChangeRecord | KeptRecord | CallRecord | OutcomeRecord | EndRecord;

/** Takes records, in order. {@link openJournal} makes one that is a file. */
export interface Journal {
  /**
   * Resolves when the record is on the disk. After a record that could not be written no other is taken, so that what
   * is there has no gap.
   *
   * @throws {@link JournalError} where it could not be written.
   */
  append(record: JournalRecord): Promise<void>;
}
