import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSnapshot, type Snapshot } from '../../live/snapshot.ts';
import { openRegularFile, readRegularFile } from '../../model/files.ts';
import { sortedSet } from '../../model/value.ts';

/** Names of live workspaces, available without a request. */
export interface RecordedNames {
  readonly workspaces: readonly string[];
  readonly tags: readonly string[];
  readonly addresses: readonly string[];
}

/** Older names are too often wrong. */
const mostAge = 7 * 24 * 60 * 60 * 1000;
const folders = ['.', '.attune'];
const unknown: RecordedNames = { workspaces: [], tags: [], addresses: [] };

/**
 * The names in the newest snapshot that `attune snapshot --out` wrote to the working folder, or to its `.attune`, within
 * the last week. It sends no request. Every failure returns no names, because completion cannot show errors.
 */
export async function recordedNames(cwd: string, now: number): Promise<RecordedNames> {
  const found = await Promise.all(folders.map((folder) => snapshotsIn(join(cwd, folder))));
  const [newest] = found
    .flat()
    .filter(({ at }) => now - at <= mostAge)
    .sort((a, b) => b.at - a.at);
  if (newest === undefined) return unknown;
  try {
    return knownBy(parseSnapshot(await readRegularFile(newest.file), newest.file));
  } catch {
    return unknown;
  }
}

function knownBy({ resources }: Snapshot): RecordedNames {
  const workspaces = resources.filter(({ kind }) => kind === 'workspace');
  const tags = workspaces.flatMap(({ attributes }) =>
    Array.isArray(attributes.tags) ? attributes.tags.map(String) : [],
  );
  return {
    workspaces: sortedSet(workspaces.map(({ name }) => name)),
    tags: sortedSet(tags),
    addresses: sortedSet(resources.map(({ address }) => address)),
  };
}

async function snapshotsIn(folder: string): Promise<{ file: string; at: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  const found = await Promise.all(files.map(async (file) => ((await isSnapshot(file)) ? [file] : [])));
  return Promise.all(found.flat().map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
}

/** Checks only the start of the file: other JSON files may be large. */
async function isSnapshot(path: string): Promise<boolean> {
  const file = await openRegularFile(path).catch(() => undefined);
  try {
    const { buffer, bytesRead } = (await file?.read(Buffer.alloc(100), 0, 100, 0)) ?? { bytesRead: 0 };
    return /^\s*\{\s*"format":\s*"attune\.snapshot\//.test(buffer?.toString('utf8', 0, bytesRead) ?? '');
  } catch {
    return false;
  } finally {
    await file?.close();
  }
}
