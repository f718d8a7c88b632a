import { readdir } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readHead } from '../desired/files/read-file.ts';
import { type Shard, shardOf } from '../desired/load-config.ts';
import { AttuneError, DiagnosticsError, problem } from '../model/diagnostic.ts';
import { relativePath, slashed } from '../model/files.ts';

export interface FoundRoot {
  readonly root: string;
  readonly organization: string;
}

/**
 * Finds root files below folders, sorted by path: every file with the keys `attune` and `organization`. Folders called
 * `node_modules`, folders whose name starts with a dot, and symbolic links are left out.
 */
export async function findRoots(
  folders: readonly string[],
  { cwd, shard }: { readonly cwd: string; readonly shard?: Shard | undefined },
): Promise<readonly FoundRoot[]> {
  const files = new Set<string>();
  for (const folder of folders)
    for (const file of await filesBelow(resolve(cwd, folder), folder)) files.add(file);
  const found = new Map<string, FoundRoot>();
  const unreadable: string[] = [];
  for (const file of files) {
    const { isRoot, organization } = await readHead(file);
    const root = relativePath(cwd, file);
    // A script that reads one path a line would read two.
    if (/[\n\r]/.test(root)) unreadable.push(JSON.stringify(root));
    else if (isRoot && organization !== undefined) found.set(file, { root, organization });
    else if (isRoot || basename(file) === 'attune.yaml') unreadable.push(root);
  }
  // A root file that is left out silently would never be planned.
  if (unreadable.length > 0) {
    const files = unreadable.sort().join(', ');
    const message = `cannot list ${files}: no organization, a line break in the path, or not readable`;
    const hint = 'run `attune validate` with these files, and correct their errors';
    throw new DiagnosticsError([problem('root-without-organization', message, { hint })]);
  }
  const all = { files: [...found.keys()], synthesized: new Map() };
  const picked = new Set((shard ? await shardOf(all, shard) : all).files);
  return [...found]
    .flatMap(([file, root]) => (picked.has(file) ? [root] : []))
    .sort((a, b) => (a.root < b.root ? -1 : 1));
}

export async function filesBelow(path: string, shown: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOTDIR') return undefined;
    const why = cause.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${cause.message}`;
    throw new AttuneError(`${shown} ${why}`, {
      code: cause.code === 'ENOENT' ? 'file-not-found' : 'file-unreadable',
      hint: 'name folders that contain root files',
      cause,
    });
  });
  if (!entries) return [path];
  const files: string[] = [];
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isFile() && /\.ya?ml$/.test(entry.name)) files.push(inner);
    if (entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
      files.push(...(await filesBelow(inner, slashed(inner))));
  }
  return files;
}
