import { type FileHandle, open } from 'node:fs/promises';
import { groupWrites } from '../../model/group-writes.ts';
import { checkOwn, DataError, removeOwn } from './own-file.ts';
import { collectionNames } from './records.ts';
import type { Store, StoreOperation } from './store.ts';
import { damaged, readOptionalFile } from './store-snapshot.ts';

/**
 * Every write since the snapshot, one line of JSON per request. A line is on the disk before its request is answered;
 * requests that arrive while the disk is busy share the next sync.
 */
export class StoreJournal {
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
export async function replayJournal(path: string, store: Store): Promise<void> {
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
