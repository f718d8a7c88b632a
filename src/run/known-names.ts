import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseSnapshot, type Snapshot } from '../live/snapshot.ts';
import { openRegularFile, readRegularFile } from '../model/files.ts';
import { resourcesOf } from '../model/state.ts';
import { sortedSet } from '../model/value.ts';

/**
 * Names that are known without a request:
 *
 * - of live objects, from the newest snapshot that `attune snapshot --out` wrote to the working folder, or to its `.attune`,
 *   within the last week;
 * - of declared resources, of layers and of aliases, from the root file of the working folder.
 *
 * Every failure returns no names, because completion cannot show errors.
 */
export async function knownNames(kind: KnownKind, cwd: string): Promise<readonly string[]> {
  switch (kind) {
    case 'workspaces':
    case 'tags':
    case 'addresses':
      return (await recordedNames(cwd))?.[kind] ?? [];
    case 'declared':
      return (await declaredAddresses(cwd)).resources;
    case 'layers': {
      const { resources, layers } = await declaredAddresses(cwd);
      return [...resources, ...layers];
    }
    case 'teams':
    case 'projects':
      return (await declaredAddresses(cwd))[kind];
    case 'fields':
      return (await import('../desired/explain.ts')).knownFields;
    default:
      return kind satisfies never;
  }
}

export type KnownKind =
  | 'workspaces'
  | 'tags'
  | 'addresses'
  | 'declared'
  | 'layers'
  | 'teams'
  | 'projects'
  | 'fields';

interface RecordedNames {
  readonly workspaces: readonly string[];
  readonly tags: readonly string[];
  readonly addresses: readonly string[];
}

/** Older names are too often wrong. */
const mostAge = 7 * 24 * 60 * 60 * 1000;
const folders = ['.', '.attune'];

async function recordedNames(cwd: string): Promise<RecordedNames | undefined> {
  const now = Date.now();
  const found = await Promise.all(folders.map((folder) => snapshotsIn(join(cwd, folder))));
  const [newest] = found
    .flat()
    .filter(({ at }) => now - at <= mostAge)
    .sort((a, b) => b.at - a.at);
  if (newest === undefined) return undefined;
  try {
    return knownBy(parseSnapshot(await readRegularFile(newest.file), newest.file));
  } catch {
    return undefined;
  }
}

function knownBy({ resources }: Snapshot): RecordedNames {
  const workspaces = resourcesOf(resources, 'workspace');
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

type DeclaredNames = Readonly<Record<'resources' | 'layers' | 'teams' | 'projects', readonly string[]>>;

async function declaredAddresses(cwd: string): Promise<DeclaredNames> {
  // Most completions need no configuration, and must be fast.
  const { loadConfig } = await import('../desired/load-config.ts');
  const loaded = await loadConfig(resolve(cwd, 'attune.yaml'), { cwd }).catch(() => undefined);
  const { desired, layered, aliases } = loaded?.configurations[0] ?? {};
  const resources = [...(desired?.resources.keys() ?? [])].sort();
  const layers = [...(layered?.keys() ?? [])].filter((address) => !desired?.resources.has(address)).sort();
  const named = (kind: 'teams' | 'projects') => [...(aliases?.[kind].keys() ?? [])].sort();
  return { resources, layers, teams: named('teams'), projects: named('projects') };
}
