import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, parse, sep } from 'node:path';
import { globOf, isGlob, matchPath, repositoryAbove, repositoryFile } from '../../desired/files/includes.ts';
import type { BeforeIncludes } from '../../desired/load-root.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import { isInside, relativePath } from '../../model/files.ts';
import { withoutSecrets } from '../../service/token.ts';
import type { Environment } from '../context.ts';

interface Git {
  readonly top: string;
  /** The folder that was asked for, by its path in the repository: links in the repository are part of what it contains. */
  readonly folder: string;
  run(
    args: readonly string[],
    options?: { readonly input?: string; readonly most?: number },
  ): Promise<Buffer>;
}

/**
 * The repository may be that of a stranger. Objects are read as they are: nothing here checks files out, so no filter and no
 * hook runs. What could run a program all the same is off, and nothing is fetched.
 */
const settings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'protocol.allow=never',
  // A folder under review can look like a repository.
  'safe.bareRepository=explicit',
];

export async function openGit(folder: string, work: string, env: Environment): Promise<Git | undefined> {
  const found = await repositoryOf(folder);
  if (found === undefined) return undefined;
  const { top } = found;
  const { execFile } = await import('node:child_process');
  const before = ['-C', top, '--no-pager', ...settings.flatMap((setting) => ['-c', setting])];
  return {
    ...found,
    run: (args, { input = '', most = 1024 * 1024 } = {}) =>
      new Promise((resolve, reject) => {
        const options = {
          // Windows also searches the working folder for the program.
          cwd: work,
          env: cleanEnvironment(env, top),
          encoding: 'buffer',
          maxBuffer: most,
          windowsHide: true,
        } as const;
        const child = execFile('git', [...before, ...args], options, (error, stdout, stderr) => {
          if (error) reject(failure(error, String(stderr), args[0] ?? 'git'));
          else resolve(stdout);
        });
        // A program that ends early does not read its input.
        child.stdin?.on('error', () => {});
        child.stdin?.end(input);
      }),
  };
}

/** Follows links that lead to a repository, and none in it: a change under review can replace a folder by a link to another one. */
async function repositoryOf(folder: string): Promise<Pick<Git, 'top' | 'folder'> | undefined> {
  const { root } = parse(folder);
  let [at, top, isLinked] = [root, await repositoryAt(root), false];
  for (const part of folder.slice(root.length).split(sep)) {
    at = join(at, part);
    if (top === undefined) {
      at = await realpath(at);
      top = await gitAbove(at);
      continue;
    }
    isLinked ||= (await lstat(at)).isSymbolicLink();
    if (!isLinked) top = (await repositoryAt(at)) ?? top;
  }
  return top === undefined ? undefined : { top, folder: at };
}

async function gitAbove(folder: string): Promise<string | undefined> {
  const found = await repositoryAt(folder);
  return found !== undefined || dirname(folder) === folder ? found : gitAbove(dirname(folder));
}

async function repositoryAt(folder: string): Promise<string | undefined> {
  return (await lstat(join(folder, '.git')).catch(() => undefined)) ? folder : undefined;
}

/**
 * Without variables that change what `git` reads or runs, and without secrets. The user and the system keep settings such as
 * `safe.directory` in configuration files.
 */
function cleanEnvironment(env: Environment, top: string): Record<string, string | undefined> {
  const others = /^GIT_(?!CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)$)/i;
  const kept = Object.entries(withoutSecrets(env)).filter(([name]) => !others.test(name));
  const path = kept.map(([name, value]) =>
    name.toUpperCase() === 'PATH' ? [name, absolutePaths(value)] : [name, value],
  );
  return {
    ...Object.fromEntries(path),
    GIT_CEILING_DIRECTORIES: dirname(top),
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
}

function absolutePaths(path = ''): string {
  return path.split(delimiter).filter(isAbsolute).join(delimiter);
}

function failure(error: Error & { code?: unknown }, stderr: string, command: string): AttuneError {
  if (error.code === 'ENOENT')
    return unreadable('`git` is not installed', 'install git, or compare with a folder', error);
  const [first = ''] = stderr.split('\n').filter((line) => line.trim() !== '');
  const why = first.replace(/^(fatal|error): /, '').slice(0, 300) || error.message.slice(0, 300);
  return unreadable(`\`git ${command}\` failed: ${why}`, undefined, error);
}

export function unreadable(message: string, hint?: string, cause?: unknown): AttuneError {
  return new AttuneError(message, { code: 'base-unreadable', cause, hint });
}

const megabyte = 1024 * 1024;
const mostListed = 256 * megabyte;
const mostRead = 64 * megabyte;

interface TreeEntry {
  readonly type: 'file' | 'link' | 'submodule';
  readonly object: string;
}

export async function openRevision(git: Git, ref: string, target: string) {
  const commit = await commitOf(git, ref);
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', commit], { most: mostListed });
  const entries = treeEntries(listed.toString('utf8'));
  const made = new Set<string>();
  /** Makes files by their paths in the repository; those that the revision does not have are left out. */
  const make = async (paths: readonly string[]): Promise<void> => {
    const needed = paths.filter((path) => entries.has(path) && !made.has(path));
    for (const path of needed) refuseSpecial(path, entries);
    const contents = await readObjects(
      git,
      needed.map((path) => entries.get(path)?.object ?? ''),
    );
    for (const [index, path] of needed.entries()) {
      made.add(path);
      const file = join(target, path);
      await mkdir(dirname(file), { recursive: true });
      // Two names can be one file on this system.
      await writeFile(file, contents[index] as Buffer, { flag: 'wx', mode: 0o600 });
    }
  };
  // The search for a repository file ends here, as it does at the top of a repository.
  await mkdir(join(target, '.git'));
  return {
    commit,
    listed: [...entries].flatMap(([path, { type }]) => (type === 'file' ? path : [])),
    make,
    beforeIncludes: async ({ folder, patterns }: Parameters<BeforeIncludes>[0]): Promise<void> => {
      const top = relativePath(target, folder);
      await make(foldersAbove(top).map((above) => joined(above, repositoryFile)));
      for (const pattern of patterns) await make(included(pattern, { folder, target, entries }));
    },
  };
}

async function commitOf(git: Git, ref: string): Promise<string> {
  const wanted = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const found = await git.run(wanted).catch((error: unknown) => {
    // Without a reason, the revision does not exist.
    if (error instanceof AttuneError && !/failed: Command failed/.test(error.message)) throw error;
    return undefined;
  });
  const commit = found?.toString('utf8').trim();
  if (commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit)) return commit;
  throw unreadable(
    `the repository has no revision ${ref}`,
    'check its name, or write a folder as ./folder; in a shallow clone, fetch the whole history: set `fetch-depth: 0` for actions/checkout, `GIT_DEPTH: "0"` in GitLab CI, or run `git fetch --unshallow`',
  );
}

/** Each entry is `<mode> <type> <object>\t<path>`. */
function treeEntries(listed: string): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (const line of listed.split('\0')) {
    const [, mode = '', object = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? [];
    if (path === '' || !isPlainPath(path)) continue;
    const type = mode === '120000' ? 'link' : mode === '160000' ? 'submodule' : 'file';
    entries.set(path, { type, object });
  }
  return entries;
}

/** `git` writes no other paths, but a repository can be made without it. */
function isPlainPath(path: string): boolean {
  return path.split('/').every((part) => !/^(\.{0,2}|\.git)$/i.test(part) && !/[\\:]/.test(part));
}

interface Search {
  readonly folder: string;
  readonly target: string;
  readonly entries: ReadonlyMap<string, TreeEntry>;
}

function included(pattern: string, { folder, target, entries }: Search): readonly string[] {
  const up = /^(?:\.\.\/+)*/.exec(pattern)?.[0] ?? '';
  const from = join(folder, up);
  if (!isInside(up === '' ? target : (repositoryAbove(folder) ?? folder), from)) return [];
  const top = relativePath(target, from);
  const rest = pattern.slice(up.length);
  if (!isGlob(rest)) {
    const path = relativePath(target, join(from, rest));
    for (const above of foldersAbove(path)) refuseSpecial(above, entries);
    return [path];
  }
  const start = joined(top, '');
  const glob = globOf(rest);
  return [...entries].flatMap(([path, { type }]) => {
    if (!path.startsWith(start)) return [];
    const { isWhole, isStart } = matchPath(glob, path.slice(start.length));
    if (type !== 'file' && isStart) refuseSpecial(path, entries);
    return isWhole ? path : [];
  });
}

/** @throws {AttuneError} for a link or a submodule: both lead to files that the revision does not have. */
function refuseSpecial(path: string, entries: ReadonlyMap<string, TreeEntry>): void {
  const type = entries.get(path)?.type;
  if (type === undefined || type === 'file') return;
  throw unreadable(
    `${path} is a ${type}, and links and submodules of a revision are not read`,
    'limit include to regular files, or compare with a folder',
  );
}

function foldersAbove(path: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  return [...parts.map((_, index) => parts.slice(0, index + 1).join('/')).reverse(), ''];
}

function joined(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

async function readObjects(git: Git, objects: readonly string[]): Promise<Buffer[]> {
  if (objects.length === 0) return [];
  const output = await git.run(['cat-file', '--batch'], { input: `${objects.join('\n')}\n`, most: mostRead });
  let at = 0;
  return objects.map((object) => {
    const end = output.indexOf(10, at);
    const [, type, size = ''] = output.subarray(at, end).toString('utf8').split(' ');
    if (type !== 'blob' || !/^\d+$/.test(size))
      throw unreadable(
        `the repository has no object ${object}: it is a partial clone, or damaged`,
        'fetch the revision without --filter',
      );
    const start = end + 1;
    at = start + Number(size) + 1;
    return output.subarray(start, start + Number(size));
  });
}
