import { type FileHandle, open } from 'node:fs/promises';
import { DataError } from './data-error.ts';
import { collectionNames } from './records.ts';
import { damaged, readIfThere } from './snapshot.ts';
import type { Operation, Store } from './store.ts';

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Every write since the snapshot, one line of JSON per request. A line is on the disk before its request is answered;
 * requests that arrive while the disk is busy share the next sync.
 */
export class Journal {
  readonly #file: FileHandle;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Starts an empty journal. */
  static async create(path: string): Promise<Journal> {
    const file = await open(path, 'w');
    await file.sync();
    return new Journal(file);
  }

  append(operations: readonly Operation[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ line: `${JSON.stringify(operations)}\n`, resolve, reject });
      this.#running ??= this.#write().finally(() => {
        this.#running = undefined;
      });
    });
  }

  async close(): Promise<void> {
    while (this.#running) await this.#running;
    await this.#file.close();
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#file.appendFile(group.map((entry) => entry.line).join(''));
        await this.#file.datasync();
        for (const entry of group) entry.resolve();
      } catch (error) {
        for (const entry of group) entry.reject(error);
      }
    }
  }
}

/** Replays a journal over the store. A last line without its end was never answered, so it is dropped. */
export async function replayJournal(path: string, store: Store): Promise<void> {
  const text = await readIfThere(path);
  if (text === undefined) return;
  const lines = text.split('\n');
  lines.pop();
  for (const [index, line] of lines.entries()) {
    for (const operation of readLine(path, index + 1, line)) store.apply(operation);
  }
}

function readLine(path: string, number: number, line: string): readonly Operation[] {
  let operations: unknown;
  try {
    operations = JSON.parse(line);
  } catch (cause) {
    throw new DataError(damaged(path, `line ${number} is not JSON`), { cause });
  }
  if (!Array.isArray(operations) || !operations.every(isOperation)) {
    throw new DataError(damaged(path, `line ${number} is not a list of writes`));
  }
  return operations;
}

function isOperation(value: unknown): value is Operation {
  if (!Array.isArray(value) || !collectionNames.includes(value[1])) return false;
  return value[0] === 'put' ? typeof value[2]?.id === 'string' : value[0] === 'remove';
}
