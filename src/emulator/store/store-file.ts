import { lstat, mkdir, open, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  groupWrites,
  NotAFileError,
  readRegularFile,
  realPathOf,
  replaceFile,
  startOfFile,
  syncFolder,
} from '../../model/files.ts';
import { isRecord, jsonIn } from '../../model/value.ts';
import { EmulatorError } from '../emulator-error.ts';
import { collectionNames, Store, type StoreOperation } from './store.ts';

/*
 * The data file of a store is a log. Its first line has the format and the number of records after it, one on each line. Writes are
 * appended, a line of operations for each request, which is on the disk before the request is answered. The end of a run
 * replaces the file by one without old operations. A kill leaves a last line without its end at most, which was never answered.
 */

const format = 'attune.emulator/2';

export interface OpenStore {
  readonly store: Store;
  /** Syncs the writes since the last call to the disk. Resolves when they and all before them would survive a kill. */
  commit(): Promise<void> | undefined;
  close(): Promise<void>;
}

export async function openStore(
  data: string | undefined,
  seed: (store: Store) => Promise<void>,
): Promise<OpenStore> {
  if (data === undefined) {
    const store = new Store();
    await seed(store);
    return { store, commit: () => void store.takeOperations(), close: async () => undefined };
  }
  const opened = await naming(data, openLocked(data, seed));
  return { ...opened, close: () => naming(data, opened.close()) };
}

/** @throws {EmulatorError} with the data file if the system refuses to read or write it. */
async function naming<Result>(data: string, used: Promise<Result>): Promise<Result> {
  try {
    return await used;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new EmulatorError(`the data file ${data} cannot be used: ${error.message}`, {
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
  if (entry?.isFile() === false) throw damaged(path, 'it is not a regular file');
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
  await checkOwn(`${path}.new`, '{"format":"attune.emulator/');
  await rm(`${path}.new`, { force: true });
  const store = new Store();
  let size = await readLog(path, store);
  if (size === undefined) {
    await seed(store);
    size = await writeLog(path, store);
  }
  store.takeOperations();
  const file = await open(path, 'a');
  let isLonger = false;
  const writer = groupWrites(async (lines) => {
    // A kill can have left a part of a line.
    if (!isLonger) await file.truncate(size);
    isLonger = true;
    await file.appendFile(lines);
    await file.datasync();
  });
  return {
    store,
    commit: () => {
      const operations = store.takeOperations();
      // After a failure no request may show what the disk lacks.
      if (operations.length === 0 && !writer.hasFailed()) return undefined;
      return writer.append(`${JSON.stringify(operations)}\n`);
    },
    close: async () => {
      try {
        await writer.idle();
        await file.close();
        if (isLonger) await writeLog(path, store);
      } finally {
        await unlock();
      }
    },
  };
}

async function readLog(path: string, store: Store): Promise<number | undefined> {
  const text = await readRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof NotAFileError) throw damaged(path, error.message);
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const complete = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head = '', ...lines] = complete.split('\n').slice(0, -1);
  const header = jsonIn(head);
  if (!isRecord(header) || header.format !== format) throw damaged(path, `it is not ${format}`);
  if (!(lines.length >= Number(header.records))) throw damaged(path, 'it is not complete');
  for (const [index, line] of lines.entries()) {
    const operations = jsonIn(line);
    if (!Array.isArray(operations) || !operations.every(isOperation))
      throw damaged(path, `line ${index + 2} is not a list of writes`);
    for (const operation of operations) store.apply(operation);
  }
  return Buffer.byteLength(complete);
}

function isOperation(value: unknown): value is StoreOperation {
  if (!Array.isArray(value) || !collectionNames.includes(value[1])) return false;
  return value[0] === 'put' ? typeof value[2]?.id === 'string' : value[0] === 'remove';
}

/** Writes the whole store so that a kill at any time leaves either the old file or the new one. Returns the length. */
async function writeLog(path: string, store: Store): Promise<number> {
  const records = collectionNames.flatMap((name) =>
    store.all(name).map((record) => JSON.stringify([['put', name, record] satisfies StoreOperation])),
  );
  const lines = [JSON.stringify({ format, records: records.length }), ...records, ''];
  const bytes = Buffer.from(lines.join('\n'));
  const temporary = `${path}.new`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await replaceFile(temporary, path);
  // The rename itself must reach the disk, too. Not every system can sync folders.
  await syncFolder(dirname(path)).catch(() => undefined);
  return bytes.length;
}

function damaged(path: string, why: string): EmulatorError {
  return new EmulatorError(
    `${path} is damaged: ${why}. It was not changed. Restore it, or move it to start with an empty store.`,
  );
}

/**
 * No other program's file beside the data is removed, and no link is followed. A kill can leave an own one empty or incomplete.
 *
 * @throws {EmulatorError} if something else than a file that begins this way has the name.
 */
async function checkOwn(path: string, start: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry === undefined) return;
  const text = entry.isFile() ? startOfFile(path, start.length) : undefined;
  if (text !== undefined && start.startsWith(text)) return;
  throw new EmulatorError(`${path} was not made by the embedded service. It was not changed.`, {
    hint: 'choose another data file with service.data or --data, or move this file',
  });
}

/** Files that this process holds: its own pid in a lock proves nothing, because containers reuse a few pids. */
const held = new Set<string>();

async function lockFile(data: string): Promise<() => Promise<void>> {
  const path = `${data}.lock`;
  const inUse = (pid: number | undefined) =>
    new EmulatorError(
      `${data} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. Stop that process; if it is not an emulator, delete ${path}.`,
    );
  if (held.has(path)) throw inUse(process.pid);
  held.add(path);
  try {
    await checkOwn(path, '{"pid":');
    const pid = await holderOf(path);
    if (pid !== undefined && pid !== process.pid && isAlive(pid)) throw inUse(pid);
    if (pid !== undefined) await unlink(path);
    await writeFile(path, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode: 0o600 }).catch(
      (error) => {
        throw error.code === 'EEXIST' ? inUse(undefined) : error;
      },
    );
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    held.delete(path);
    await unlink(path).catch(() => undefined);
  };
}

/** Undefined if there is no lock, or another process is just writing it. */
async function holderOf(path: string): Promise<number | undefined> {
  const lock = jsonIn(await readRegularFile(path).catch(() => ''));
  return isRecord(lock) && typeof lock.pid === 'number' ? lock.pid : undefined;
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
