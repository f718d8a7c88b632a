import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseSnapshot, type Snapshot } from '../live/snapshot.ts';
import type { Configuration } from '../model/configuration.ts';
import { readRegularFile, startOfFile } from '../model/files.ts';
import { resourcesOf } from '../model/state.ts';
import { listTexts, sortedSet } from '../model/value.ts';

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
  return sources[kind](cwd);
}

export type KnownKind = keyof typeof sources;

// Most completions need no configuration, and must be fast.
const sources = {
  workspaces: recorded((resources) => resourcesOf(resources, 'workspace').map(({ name }) => name)),
  tags: recorded((resources) =>
    resourcesOf(resources, 'workspace').flatMap(({ attributes }) => listTexts(attributes.tags)),
  ),
  addresses: recorded((resources) => resources.map(({ address }) => address)),
  declared: declared(({ desired }) => [...desired.resources.keys()].sort()),
  layers: declared(({ desired, layered }) => [
    ...[...desired.resources.keys()].sort(),
    ...[...layered.keys()].filter((address) => !desired.resources.has(address)).sort(),
  ]),
  teams: declared(({ aliases }) => [...aliases.teams.keys()].sort()),
  projects: declared(({ aliases }) => [...aliases.projects.keys()].sort()),
  fields: async () => (await import('../desired/explain.ts')).knownFields,
} as const satisfies Readonly<Record<string, NamesIn>>;

type NamesIn = (cwd: string) => Promise<readonly string[]>;

function declared(namesOf: (configuration: Configuration) => readonly string[]): NamesIn {
  return async (cwd) => {
    const { loadConfig } = await import('../desired/load-config.ts');
    const loaded = await loadConfig(resolve(cwd, 'attune.yaml'), { cwd }).catch(() => undefined);
    const configuration = loaded?.configurations[0];
    return configuration ? namesOf(configuration) : [];
  };
}

function recorded(namesOf: (resources: Snapshot['resources']) => readonly string[]): NamesIn {
  return async (cwd) => {
    const snapshot = await newestSnapshot(cwd);
    return snapshot ? sortedSet(namesOf(snapshot.resources)) : [];
  };
}

/** Older names are too often wrong. */
const mostAge = 7 * 24 * 60 * 60 * 1000;
const folders = ['.', '.attune'];

async function newestSnapshot(cwd: string): Promise<Snapshot | undefined> {
  const now = Date.now();
  const found = await Promise.all(folders.map((folder) => snapshotsIn(join(cwd, folder))));
  const [newest] = found
    .flat()
    .filter(({ at }) => now - at <= mostAge)
    .sort((a, b) => b.at - a.at);
  if (newest === undefined) return undefined;
  try {
    return parseSnapshot(await readRegularFile(newest.file), newest.file);
  } catch {
    return undefined;
  }
}

async function snapshotsIn(folder: string): Promise<{ file: string; at: number }[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  return Promise.all(
    files.filter(isSnapshot).map(async (file) => ({ file, at: (await stat(file)).mtimeMs })),
  );
}

/** Checks only the start of the file: other JSON files may be large. */
function isSnapshot(path: string): boolean {
  return /^\s*\{\s*"format":\s*"attune\.snapshot\//.test(startOfFile(path, 100) ?? '');
}
