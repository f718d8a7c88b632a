import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { groupWrites } from '../../model/files.ts';
import { type Journal, JournalError } from './journal.ts';

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
  let failure: JournalError | undefined;
  const writer = groupWrites(async (records) => {
    // After a failure no record is accepted, so that the journal has no gap.
    if (failure) throw failure;
    try {
      await file.appendFile(records);
      await file.datasync();
      await check();
    } catch (cause) {
      failure = notWritten(path, cause);
      throw failure;
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

/** A new file survives a crash of the machine only once its folder is synced to the disk. */
async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders and does not need to sync them.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function notWritten(path: string, cause: unknown): JournalError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new JournalError(`cannot write the journal ${path}: ${why}`, {
    cause,
    hint: 'free disk space or choose another file for the journal, then run again; calls that are not in the journal are not sent',
  });
}
