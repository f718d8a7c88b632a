import { dirname, relative } from 'node:path';
import { isInside, slashed } from '../model/files.ts';
import { groupBy } from '../model/value.ts';
import { readHead } from './files/read-file.ts';
import { type SynthesizedFiles, synthesizedOrganization } from './files/synthesized.ts';

/** One of `count` parts of the root files of a run; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

interface RootInputs {
  readonly files: readonly string[];
  readonly synthesized: SynthesizedFiles;
}

/**
 * The inputs of one shard. Each input belongs to exactly one shard. Root files of one organization stay together,
 * because they are checked against each other: what one of them prunes, another one can declare.
 *
 * Organizations are ordered by the SHA-256 of the path of their first root file, and each shard takes every N-th. So
 * shards differ by one organization at most. Paths are relative to the folder that all root files have in common, with
 * `/`: they are the same in each checkout and on each system.
 */
export async function shardOf({ files, synthesized }: RootInputs, shard: Shard): Promise<RootInputs> {
  const base = commonFolder(files);
  const inputs: Input[] = [...synthesized].map(([name, file]) => ({
    file,
    path: name,
    organization: synthesizedOrganization(name),
  }));
  for (const file of files) {
    const { organization } = await readHead(file);
    inputs.push({ file, path: slashed(relative(base, file)), organization });
  }
  const picked = new Set(pickShard(inputs, shard).map(({ file }) => file));
  const isPicked = (file: string) => picked.has(file);
  return {
    files: files.filter(isPicked),
    synthesized: new Map([...synthesized].filter(([, file]) => isPicked(file))),
  };
}

interface Input {
  readonly file: string;
  readonly path: string;
  /** A file without one is distributed alone, and one shard reports its errors. */
  readonly organization: string | undefined;
}

export function pickShard<Item extends Omit<Input, 'file'>>(
  items: readonly Item[],
  { index, count }: Shard,
): readonly Item[] {
  const keyOf = ({ organization, path }: Item) =>
    organization === undefined ? `file ${path}` : `organization ${organization.toLowerCase()}`;
  const groups = [...groupBy(items, keyOf)].map(([, members]) => ({
    members,
    hash: hashOf(members.map(({ path }) => path).sort()[0] ?? ''),
  }));
  const ordered = groups.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const picked = new Set(ordered.flatMap(({ members }, at) => (at % count === index - 1 ? members : [])));
  return items.filter((item) => picked.has(item));
}

function hashOf(path: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(path).digest('hex');
}

function commonFolder(files: readonly string[]): string {
  const [first = '.', ...others] = files.map(dirname);
  let folder = first;
  while (others.some((other) => !isInside(folder, other)) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
