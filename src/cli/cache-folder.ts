import { existsSync, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';

/** What determines the cache folder. Some words of the command line are root files and their folders. */
export type CacheUser = Pick<NodeJS.Process, 'env' | 'platform' | 'cwd' | 'argv'>;

/**
 * The folder for compiled code, without links in its path. It may not exist yet. Undefined if there is none, the user has turned the cache
 * off, another user could replace the folder, or it is inside the working tree or the repository of a configuration.
 */
export function cacheFolder(user: CacheUser): string | undefined {
  const named = namedFolder(user);
  if (named === undefined) return undefined;
  try {
    const folder = hasUsers ? ownPath(named) : named;
    return folder !== undefined && isOutside(folder, user) ? folder : undefined;
  } catch {
    return undefined;
  }
}

export function namedFolder({ env, platform }: Pick<CacheUser, 'env' | 'platform'>): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (platform === 'win32') return env.LOCALAPPDATA && join(env.LOCALAPPDATA, 'attune', 'cache');
  const base = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'));
  // A relative path would be in the working folder.
  return base?.startsWith('/') ? join(base, 'attune') : undefined;
}

/** Windows has no modes. The local data of a user are private to the user there. */
const hasUsers = process.geteuid !== undefined;

export function isOwn({ uid }: Stats): boolean {
  return !hasUsers || uid === process.geteuid?.();
}

/** A folder that exists, and that only the user can list and change. */
export function isPrivateFolder(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && isOwn(found) && (!hasUsers || (found.mode & 0o777) === 0o700);
}

/** As many as Linux follows. */
const mostLinks = 40;

/** Follows the links of a path. Undefined if a user other than this one and root could replace a part of it. */
function ownPath(path: string): string | undefined {
  const names = path.split(sep);
  let real: string = sep;
  let links = 0;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const next = join(real, name);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (!found) return join(next, ...names);
    if (!isSafe(found)) return undefined;
    if (!found.isSymbolicLink()) {
      real = next;
      continue;
    }
    if (++links > mostLinks) return undefined;
    const target = readlinkSync(next);
    names.unshift(...target.split(sep));
    if (isAbsolute(target)) real = sep;
  }
  return real;
}

const writableByOthers = 0o022;
/** Users cannot replace what others own in such a folder, as in `/tmp`. */
const sticky = 0o1000;

function isSafe(found: Stats): boolean {
  if (found.uid !== 0 && !isOwn(found)) return false;
  return found.isSymbolicLink() || (found.mode & writableByOthers) === 0 || (found.mode & sticky) !== 0;
}

const repositories = ['.git', '.hg', '.svn'];

/** Whether a folder is outside of every repository, of the working folder, and of the folders of root files. */
function isOutside(folder: string, { cwd, argv }: CacheUser): boolean {
  const working = cwd();
  const trees = new Set([working, ...argv.slice(2)].flatMap((word) => treeOf(resolve(working, word))));
  for (let at = folder; ; at = dirname(at)) {
    const [tree] = treeOf(at);
    if (tree !== undefined && trees.has(tree)) return false;
    if (repositories.some((name) => existsSync(join(at, name)))) return false;
    if (at === dirname(at)) return true;
  }
}

/** Identifies a folder, or the folder of a file. Its path could be written in several ways. */
function treeOf(path: string): string[] {
  const options = { throwIfNoEntry: false, bigint: true } as const;
  const found = statSync(path, options);
  const folder = found && !found.isDirectory() ? statSync(dirname(path), options) : found;
  return folder ? [`${folder.dev} ${folder.ino}`] : [];
}
