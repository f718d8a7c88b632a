import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { NotAFileError, readRegularFile, replaceFile } from '../../model/files.ts';
import { isRecord } from '../../model/value.ts';
import { DataError, removeOwn } from './own-file.ts';
import { type CollectionName, collectionNames } from './records.ts';
import type { Store } from './store.ts';

const format = 'attune.emulator/1';

/** Reads a snapshot into an empty store. Returns false if there is none yet. */
export async function readStoreSnapshot(path: string, store: Store): Promise<boolean> {
  const text = await readOptionalFile(path);
  if (text === undefined) return false;
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    // The error of the parser quotes the file, which may not be one of the service.
    throw new DataError(damaged(path, 'it is not complete JSON'));
  }
  if (!isRecord(data) || data.format !== format) throw new DataError(damaged(path, `it is not ${format}`));
  for (const name of collectionNames) readCollection(path, store, name, data[name]);
  return true;
}

function readCollection(path: string, store: Store, name: CollectionName, records: unknown): void {
  if (!Array.isArray(records)) throw new DataError(damaged(path, `it has no list of ${name}`));
  for (const record of records) {
    if (!isRecord(record) || typeof record.id !== 'string') {
      throw new DataError(damaged(path, `an entry of ${name} has no id`));
    }
    store.apply(['put', name, { ...record, id: record.id }]);
  }
}

/** Writes the whole store so that a kill at any time leaves either the old file or the new one. */
export async function writeStoreSnapshot(path: string, store: Store): Promise<void> {
  const temporary = `${path}.new`;
  await removeOwn(temporary, 'new');
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(snapshotText(store));
    await file.sync();
  } finally {
    await file.close();
  }
  await replaceFile(temporary, path);
  await syncFolder(dirname(path));
}

/** One record per line: the file can be read and compared, and the text is built in small parts. */
function snapshotText(store: Store): string {
  const collections = collectionNames.map((name) => {
    const records = store.all(name).map((record) => JSON.stringify(record));
    return `${JSON.stringify(name)}:[${records.length ? `\n${records.join(',\n')}\n` : ''}]`;
  });
  return `{"format":${JSON.stringify(format)},\n${collections.join(',\n')}}\n`;
}

/** The rename itself must reach the disk, too. Not every system can sync folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {}
}

export async function readOptionalFile(path: string): Promise<string | undefined> {
  try {
    return await readRegularFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof NotAFileError) throw new DataError(damaged(path, error.message));
    throw error;
  }
}

export function damaged(path: string, why: string): string {
  return `${path} is damaged: ${why}. It was not changed. Restore it, or move it to start with an empty store.`;
}
