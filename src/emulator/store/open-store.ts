import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realPathOf } from '../../model/files.ts';
import { lockFile } from './lock-file.ts';
import { DataError } from './own-file.ts';
import { Store } from './store.ts';
import { replayJournal, StoreJournal } from './store-journal.ts';
import { damaged, readOptionalFile, readStoreSnapshot, writeStoreSnapshot } from './store-snapshot.ts';

/** A store with its files, if it has any. */
export interface OpenStore {
  readonly store: Store;
  /** Syncs the writes since the last call to the disk. Resolves when they and all before them would survive a kill. */
  commit(): Promise<void> | undefined;
  close(): Promise<void>;
}

/**
 * Opens the data of a file, or an empty store in memory.
 *
 * @param seed fills a store that has no data yet
 */
export async function openStore(
  data: string | undefined,
  seed: (store: Store) => Promise<void>,
): Promise<OpenStore> {
  if (data === undefined) {
    const store = new Store();
    await seed(store);
    store.takeOperations();
    return {
      store,
      commit: () => void store.takeOperations(),
      close: async () => undefined,
    };
  }
  const opened = await naming(data, openLocked(data, seed));
  return { ...opened, close: () => naming(data, opened.close()) };
}

/** @throws {DataError} with the data file if the system refuses to read or write it. */
async function naming<Result>(data: string, used: Promise<Result>): Promise<Result> {
  try {
    return await used;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new DataError(`the data file ${data} cannot be used: ${error.message}`, {
      cause: error,
      hint: 'free disk space, make its folder writable, or choose another file with service.data or --data',
    });
  }
}

async function openLocked(data: string, seed: (store: Store) => Promise<void>): Promise<OpenStore> {
  await mkdir(dirname(data), { recursive: true, mode: 0o700 });
  // Two names of one file share its lock, and the file itself is replaced, never a link.
  const path = await realPathOf(data);
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isFile() === false) throw new DataError(damaged(path, 'it is not a regular file'));
  const unlock = await lockFile(path);
  try {
    return await openFile(path, seed, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function openFile(
  path: string,
  seed: (store: Store) => Promise<void>,
  unlock: () => Promise<void>,
): Promise<OpenStore> {
  const store = new Store();
  const journalPath = `${path}.journal`;
  if (await readStoreSnapshot(path, store)) {
    await replayJournal(journalPath, store);
  } else {
    await refuseOrphan(path, journalPath);
    await seed(store);
  }
  store.takeOperations();
  // A kill between these two leaves a journal whose writes the snapshot contains already: replaying it changes nothing.
  await writeStoreSnapshot(path, store);
  const journal = await StoreJournal.create(journalPath);
  return {
    store,
    commit: () => journal.append(store.takeOperations()),
    close: async () => {
      try {
        await journal.close();
        await writeStoreSnapshot(path, store);
        await (await StoreJournal.create(journalPath)).close();
      } finally {
        await unlock();
      }
    },
  };
}

async function refuseOrphan(path: string, journalPath: string): Promise<void> {
  if (!(await readOptionalFile(journalPath))) return;
  throw new DataError(
    `${journalPath} has writes for ${path}, which does not exist. Restore that file, or move the journal to start with an empty store.`,
  );
}
