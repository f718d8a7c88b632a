import { randomUUID } from 'node:crypto';
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

/** By file of the program: the code that runs of a command have compiled, and how many chunks of the file these runs have loaded. */
export type CodeCache = ReadonlyMap<string, { readonly code: Buffer; readonly chunks: number }>;

interface Header {
  readonly key: string;
  /** In the order of the data. */
  readonly files: readonly (readonly [name: string, bytes: number, chunks: number])[];
}

/** The first bytes of each file of the cache. No other file is replaced. */
const signature = Buffer.from('attune: compiled code\n');

/** After the signature: a checksum of the rest and the length of the data, as 32-bit integers. The data comes next, the header is last. */
const prefixBytes = 8;

/**
 * Only this user can have written the code, so the checksum has to detect accidents only.
 *
 * @returns undefined for a cache that is missing or unusable
 */
export function readCodeCache(place: CachePlace): CodeCache | undefined {
  const { bytes } = readCacheFile(place);
  if (bytes === undefined) return undefined;
  try {
    // V8 crashes on changed code.
    if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
    const header: Header = JSON.parse(bytes.toString('utf8', prefixBytes + bytes.readUInt32LE(4)));
    if (header.key !== place.key) return undefined;
    let start = prefixBytes;
    return new Map(
      header.files.map(([name, length, chunks]) => {
        const code = bytes.subarray(start, start + length);
        start += length;
        return [name, { code, chunks }];
      }),
    );
  } catch {
    return undefined;
  }
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
  const temporary = `${path}.${randomUUID()}`;
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

function cacheBytes(key: string, cache: CodeCache): Buffer {
  const header: Header = {
    key,
    files: [...cache].map(([name, { code, chunks }]) => [name, code.length, chunks]),
  };
  const data = Buffer.concat([...cache.values()].map(({ code }) => code));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(data.length, 4);
  const bytes = Buffer.concat([prefix, data, Buffer.from(JSON.stringify(header))]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)));
  return Buffer.concat([signature, bytes]);
}

function cachePath({ folder, command }: CachePlace): string {
  return join(folder, `${command}.code`);
}
