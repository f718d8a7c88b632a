import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  rename,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { groupWrites, readRegularFile, realPathOf } from '../../model/files.ts';
import { checkOwn, DataError, removeOwn } from './own-file.ts';
import { collectionNames } from './records.ts';
import { Store, type StoreOperation } from './store.ts';
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

/** Files that this process holds: its own pid in a lock proves nothing, because containers reuse a few pids. */
const held = new Set<string>();

interface Holder {
  readonly pid: number;
  readonly token: string;
}

/** Locks a data file, or throws if another process uses it. Returns a function that unlocks it. */
async function lockFile(data: string): Promise<() => Promise<void>> {
  const path = `${data}.lock`;
  const token = randomUUID();
  const mine = `${path}.${token}`;
  await writeFile(mine, JSON.stringify({ pid: process.pid, token } satisfies Holder), { mode: 0o600 });
  try {
    await take(path, mine, data);
  } finally {
    await unlink(mine).catch(() => undefined);
  }
  held.add(path);
  return async () => {
    held.delete(path);
    if ((await holderOf(path))?.token === token) await unlink(path).catch(() => undefined);
  };
}

/** Creating a hard link either creates the name with its content, or fails. Some file systems have no hard links. */
async function place(mine: string, path: string): Promise<void> {
  try {
    await link(mine, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copyFile(mine, path, constants.COPYFILE_EXCL);
  }
}

/** Of two processes that start at once, one succeeds. */
async function take(path: string, mine: string, data: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await place(mine, path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await checkOwn(path, 'lock');
    const holder = await holderOf(path);
    if (held.has(path) || (holder && holder.pid !== process.pid && isAlive(holder.pid))) {
      throw new DataError(
        `${data} is in use by process ${holder?.pid ?? process.pid}. Stop that process; if it is not an emulator, delete ${path}.`,
      );
    }
    await discard(path, holder);
  }
  throw new DataError(`${data} could not be locked: other processes keep taking ${path}.`);
}

/** Moves the lock of a dead process aside. If another process was faster, its new lock is restored. */
async function discard(path: string, dead: Holder | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await holderOf(aside);
  if (moved && moved.token !== dead?.token) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    const holder: Partial<Holder> = JSON.parse(await readRegularFile(path));
    if (typeof holder.pid !== 'number') return undefined;
    return { pid: holder.pid, token: String(holder.token) };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled, but it exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Every write since the snapshot, one line of JSON per request. A line is on the disk before its request is answered;
 * requests that arrive while the disk is busy share the next sync.
 */
class StoreJournal {
  readonly #file: FileHandle;
  readonly #writer = groupWrites((lines) => this.#write(lines));
  /** The length of the complete lines in bytes. */
  #size = 0;
  /** Lines that the disk did not take, although the store has their changes: they are written with the next group. */
  #failed = '';

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Creates an empty journal. */
  static async create(path: string): Promise<StoreJournal> {
    await removeOwn(path, 'journal');
    const file = await open(path, 'wx', 0o600);
    await file.sync();
    return new StoreJournal(file);
  }

  /** Resolves when the operations, and all before them, are on the disk; undefined if they are there already. */
  append(operations: readonly StoreOperation[]): Promise<void> | undefined {
    if (operations.length > 0) return this.#writer.append(`${JSON.stringify(operations)}\n`);
    return this.#failed === '' ? undefined : this.#writer.append('');
  }

  async close(): Promise<void> {
    await this.#writer.idle();
    await this.#file.close();
  }

  async #write(group: string): Promise<void> {
    const all = this.#failed + group;
    const lines = Buffer.from(all);
    try {
      for (let done = 0; done < lines.length; ) {
        done += (await this.#file.write(lines, done, lines.length - done, this.#size + done)).bytesWritten;
      }
      await this.#file.datasync();
      this.#size += lines.length;
      this.#failed = '';
    } catch (error) {
      // A full disk may have stored a part: the next group overwrites it, so no incomplete line remains in between.
      await this.#file.truncate(this.#size).catch(() => undefined);
      this.#failed = all;
      throw error;
    }
  }
}

/** Replays a journal over the store. An incomplete last line was never answered, so it is dropped. */
async function replayJournal(path: string, store: Store): Promise<void> {
  const text = await readOptionalFile(path);
  if (text === undefined) return;
  const lines = text.split('\n');
  lines.pop();
  for (const [index, line] of lines.entries()) {
    for (const operation of readLine(path, index + 1, line)) store.apply(operation);
  }
  // Without a complete line it could be anything.
  await checkOwn(path, 'journal');
}

function readLine(path: string, number: number, line: string): readonly StoreOperation[] {
  let operations: unknown;
  try {
    operations = JSON.parse(line);
  } catch {
    throw new DataError(damaged(path, `line ${number} is not JSON`));
  }
  if (!Array.isArray(operations) || !operations.every(isOperation)) {
    throw new DataError(damaged(path, `line ${number} is not a list of writes`));
  }
  return operations;
}

function isOperation(value: unknown): value is StoreOperation {
  if (!Array.isArray(value) || !collectionNames.includes(value[1])) return false;
  return value[0] === 'put' ? typeof value[2]?.id === 'string' : value[0] === 'remove';
}
