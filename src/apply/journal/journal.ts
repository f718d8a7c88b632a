import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Outcome } from '../../model/apply-result.ts';
import type { Action } from '../../model/change.ts';
import type { Aliases } from '../../model/configuration.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import type { Dialect, Feature } from '../../model/dialect.ts';
import { groupWrites, syncFolder } from '../../model/files.ts';
import type { Call, Operation } from '../../model/plan.ts';
import type { Hold } from '../../model/rules.ts';
import type { ResourceKind } from '../../model/state.ts';
import type { Values } from '../../model/value.ts';

/** The `format` in the first record of each run; see schemas/journal.schema.json. */
export const journalFormat = 'attune.journal/1';

/** The start of an apply. All records up to the next one of this kind belong to it. */
export interface RunRecord {
  readonly record: 'run';
  readonly format: 'attune.journal/1';
  readonly organization: string;
  readonly address: string;
  /** The data of the embedded service, as a path from the folder of the journal; absent for another service. */
  readonly data?: string | undefined;
  readonly dialect: Dialect;
  /** What the service did not offer; absent if nothing is known to be missing. */
  readonly without?: readonly Feature[] | undefined;
  /** The digest that `plan --format json` prints for the plan. */
  readonly plan: string;
  /** When the run began, in ISO 8601. */
  readonly at: string;
  /** Why freeze windows were overridden; absent if they were not. */
  readonly freezeOverridden?: string | undefined;
  /** What the plan did not send; absent if it sent everything. */
  readonly held?: readonly HeldRecord[] | undefined;
  /** Ids by their aliases, per kind. */
  readonly aliases: Readonly<Record<keyof Aliases, Readonly<Record<string, string>>>>;
  /** The journal that this run undoes, as a path from the folder of the new journal; absent for an apply. */
  readonly undoes?: string | undefined;
  /** It leaves changes of that journal as they are, because of `--only`, or because they cannot be reverted. */
  readonly undoesPart?: true | undefined;
}

/** A hold of a change. */
export interface HeldRecord extends Hold {
  readonly address: string;
}

/** Written before the first call of a change: what the change was computed from. */
export interface ChangeRecord {
  readonly record: 'change';
  readonly address: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly action: Action;
  readonly id?: string | undefined;
  /** How many calls the plan has for it. */
  readonly calls?: number;
  /** The live values before the change; `exists` is false for an object that did not exist. */
  readonly before: Values;
}

/** Written before a workspace is deleted: all its readable values. */
export interface KeptRecord {
  readonly record: 'kept';
  readonly address: string;
  readonly values: Values;
}

/** Written before a call is sent. */
export interface CallRecord extends Call {
  readonly record: 'call';
  readonly number: number;
  readonly address: string;
}

/** The operations whose answer shows the id of an object that did not exist before. */
export const creations: ReadonlySet<Operation> = new Set([
  'createProject',
  'recoverWorkspace',
  'createWorkspace',
  'createGrant',
]);

/** Written when a call has ended. A call without this record may have taken effect. */
export interface OutcomeRecord {
  readonly record: 'outcome';
  /** The number of the call. */
  readonly number: number;
  /** `unknown`: the answer was lost, and a look-up did not show whether the call took effect. */
  readonly result: 'done' | 'failed' | 'unknown';
  /** The id that the service assigned to the created object. */
  readonly id?: string | undefined;
  /** The values that the service returned for the paths of the change. */
  readonly answered?: Values | undefined;
  /** Why the call failed. Without a status there was no usable answer, and the call may have taken effect. */
  readonly error?: {
    readonly message: string;
    readonly status?: number | undefined;
    /** Another object has the name that this call would have created, so the call took no effect. */
    readonly notOurs?: true | undefined;
  };
}

/** Written when the run has ended; an interrupted run has none. */
export interface EndRecord {
  readonly record: 'end';
  /** Absent if every change of the plan is done. */
  readonly complete?: false | undefined;
  /** The changes that are neither done nor held, by address; absent if there are none. */
  readonly results?: Readonly<Record<string, Exclude<Outcome, 'done' | 'held'>>> | undefined;
}

export const recordKinds = ['run', 'change', 'kept', 'call', 'outcome', 'end'] as const;

/** One line of a journal. */
export type JournalRecord = RunRecord | ChangeRecord | KeptRecord | CallRecord | OutcomeRecord | EndRecord;

/** Receives records in order. {@link openJournal} creates one that writes to a file. */
export interface Journal {
  /**
   * Resolves when the record is on the disk. After a record that could not be written, all further ones are refused, so
   * that the journal has no gap.
   *
   * @throws {@link JournalError} if the record could not be written.
   */
  append(record: JournalRecord): Promise<void>;
}

/**
 * The journal could not be written; calls that it does not record are not sent.
 *
 * @example
 * ```ts
 * const error = await openJournal('no-such-folder/apply.journal').catch((reason: unknown) => reason);
 * console.log(error instanceof JournalError && error.code); // journal-not-written
 * ```
 */
export class JournalError extends AttuneError {
  override readonly name = 'JournalError';
  override readonly code = 'journal-not-written';
}

/** A journal in a file. */
export interface JournalFile extends Journal {
  /** Waits for pending writes and closes the file. */
  close(): Promise<void>;
}

/**
 * Creates a journal: one record per line, each on the disk before `append` resolves, readable by its owner only.
 *
 * @throws {@link AttuneError} `file-exists` if the path exists, even as a link: another run may need that journal
 * for its undo.
 * @throws {@link JournalError} if the file cannot be created.
 * @example
 * ```ts
 * const plan = await makePlan(configuration, { source: serviceSource(client), address });
 * const journal = await openJournal('apply.journal');
 * try {
 *   await applyPlan(plan, { client, journal, aliases: configuration.aliases });
 * } finally {
 *   await journal.close();
 * }
 * ```
 */
export async function openJournal(path: string): Promise<JournalFile> {
  const file = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? journalExists(path) : notWritten(path, cause);
  });
  try {
    await syncFolder(dirname(path));
  } catch (cause) {
    await file.close();
    throw notWritten(path, cause);
  }
  return journalOn(file, path, () => requirePresence(file, path));
}

/** A deleted file accepts records that cannot be read afterwards. */
async function requirePresence(file: FileHandle, path: string): Promise<void> {
  const { nlink } = await file.stat();
  if (nlink === 0) throw new Error('it was deleted during the run');
  await stat(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? new Error('it was moved during the run', { cause }) : cause;
  });
}

export function journalExists(path: string, option?: string): AttuneError {
  const file = option === undefined ? 'file' : `file with ${option}`;
  return new AttuneError(`${path} exists already, and journals are never overwritten`, {
    code: 'file-exists',
    hint: `choose another ${file}, or move the existing journal`,
  });
}

/**
 * Records that arrive while the disk is busy share its next sync.
 *
 * @param check throws if written records are lost
 */
export function journalOn(
  file: Pick<FileHandle, 'appendFile' | 'datasync' | 'close'>,
  path: string,
  check: () => Promise<void> = async () => {},
): JournalFile {
  const writer = groupWrites(async (records) => {
    try {
      await file.appendFile(records);
      await file.datasync();
      await check();
    } catch (cause) {
      throw notWritten(path, cause);
    }
  });
  return {
    append: (record) => writer.append(`${JSON.stringify(record)}\n`),
    async close() {
      await writer.idle();
      await file.close().catch((cause) => {
        throw notWritten(path, cause);
      });
    },
  };
}

function notWritten(path: string, cause: unknown): JournalError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new JournalError(`cannot write the journal ${path}: ${why}`, {
    cause,
    hint: 'check that the disk has space and that nothing removes the file, or choose another file for the journal, then run again; calls that are not in the journal are not sent',
  });
}
