import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { crc32 } from 'node:zlib';

/** Where the code of a command is kept. */
export interface CachePlace {
  readonly folder: string;
  /** What the code depends on. V8 itself compares only the length of a source, its own version and its flags. */
  readonly key: string;
  readonly command: string;
}

/** The code that a run of the command has compiled. */
export interface CodeCache {
  readonly code: Buffer;
  /** Of a run that did not fail. */
  readonly isComplete: boolean;
}

/** The first bytes of each file of the cache. No other file is replaced. */
const signature = Buffer.from('attune: compiled code\n');

/** After the signature, as 32-bit integers: a checksum of the rest, the length of the key, and whether it is complete. Then the key and the code. */
const prefixBytes = 12;

/**
 * Only this user can have written the code, so the checksum has to detect accidents only.
 *
 * @returns undefined for a cache that is missing or unusable
 */
export function readCodeCache(place: CachePlace): CodeCache | undefined {
  const { bytes } = readCacheFile(place);
  if (bytes === undefined || bytes.length < prefixBytes) return undefined;
  // V8 crashes on changed code.
  if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
  const end = prefixBytes + bytes.readUInt32LE(4);
  if (bytes.toString('utf8', prefixBytes, end) !== place.key) return undefined;
  return { code: bytes.subarray(end), isComplete: bytes.readUInt32LE(8) === 1 };
}

interface CacheFile {
  /** The bytes after the signature, if only this user can have written them. */
  readonly bytes?: Buffer;
  /** There is no file, or one that this program has written. */
  readonly isReplaceable: boolean;
}

/** Neither follows a link nor waits for a pipe. */
const reading = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

function readCacheFile(place: CachePlace): CacheFile {
  if (!isPrivateFolder(place.folder)) return { isReplaceable: false };
  let file: number;
  try {
    file = openSync(cachePath(place), reading);
  } catch (error) {
    return { isReplaceable: (error as NodeJS.ErrnoException).code === 'ENOENT' };
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile() || !isOwn(found)) return { isReplaceable: false };
    const all = readFileSync(file);
    if (!all.subarray(0, signature.length).equals(signature)) return { isReplaceable: false };
    const isPrivate = !hasUsers || (found.mode & 0o7777) === 0o600;
    return { isReplaceable: true, ...(isPrivate && { bytes: all.subarray(signature.length) }) };
  } catch {
    return { isReplaceable: false };
  } finally {
    closeSync(file);
  }
}

/**
 * Writes nothing if the folder cannot be written, is not private, or has another file of this name. Deletes no file: the code of
 * another version is replaced.
 *
 * @param compiled Called if the code can be written.
 */
export function writeCodeCache(place: CachePlace, compiled: () => CodeCache): void {
  const path = cachePath(place);
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint()}`;
  try {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    if (!readCacheFile(place).isReplaceable) return;
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, cacheBytes(place.key, compiled()));
      renameSync(temporary, path);
    } catch {
      rmSync(temporary, { force: true });
    } finally {
      closeSync(file);
    }
  } catch {
    // The next run compiles its code again.
  }
}

function cacheBytes(key: string, { code, isComplete }: CodeCache): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(Buffer.byteLength(key), 4);
  prefix.writeUInt32LE(isComplete ? 1 : 0, 8);
  const bytes = Buffer.concat([prefix, Buffer.from(key), code]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)));
  return Buffer.concat([signature, bytes]);
}

function cachePath({ folder, command }: CachePlace): string {
  return join(folder, `${command}.code`);
}

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

function isOwn({ uid }: Stats): boolean {
  return !hasUsers || uid === process.geteuid?.();
}

/** A folder that exists, and that only the user can list and change. */
function isPrivateFolder(folder: string): boolean {
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
