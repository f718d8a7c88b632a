import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isOwn, isPrivateFolder } from './cache-folder.ts';

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
    const isPrivate = process.platform === 'win32' || (found.mode & 0o7777) === 0o600;
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
