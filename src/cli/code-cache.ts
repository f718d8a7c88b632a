import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder for files that Attune can make again; undefined if there is none or the user has turned the cache off. */
export function cacheFolder(env: Environment, platform: string): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  if (platform === 'win32') return env.LOCALAPPDATA && join(env.LOCALAPPDATA, 'attune', 'cache');
  const base = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'));
  // A relative path would be in the working folder.
  return base?.startsWith('/') ? join(base, 'attune') : undefined;
}

/** Where the code of a command is kept. */
export interface CachePlace {
  readonly folder: string;
  /** What the code depends on. V8 itself compares only the length of a source, its own version and its flags. */
  readonly key: string;
  readonly command: string;
}

/** By file of the program: the code that runs of a command have compiled, and how many chunks of the file these runs have loaded. */
export type CodeCache = ReadonlyMap<string, { readonly code: Buffer; readonly chunks: number }>;

/** In the order of the data. */
type Header = readonly (readonly [name: string, bytes: number, chunks: number])[];

/** A checksum of the rest and the length of the data, as 32-bit integers. The data comes next, the header is last. */
const prefixBytes = 8;

/** @returns undefined for a cache that is missing or unusable */
export function readCodeCache(place: CachePlace): CodeCache | undefined {
  try {
    const bytes = readOwnFile(cachePath(place));
    // V8 crashes on changed code.
    if (bytes === undefined || crc32(bytes.subarray(4)) !== bytes.readUInt32LE(0)) return undefined;
    const header: Header = JSON.parse(bytes.toString('utf8', prefixBytes + bytes.readUInt32LE(4)));
    let start = prefixBytes;
    return new Map(
      header.map(([name, length, chunks]) => {
        const code = bytes.subarray(start, start + length);
        start += length;
        return [name, { code, chunks }];
      }),
    );
  } catch {
    return undefined;
  }
}

/** Code of another user is not run. That of root is: an image can contain it. */
function readOwnFile(path: string): Buffer | undefined {
  const file = openSync(path, 'r');
  try {
    const { uid } = fstatSync(file);
    return uid === 0 || uid === (process.geteuid?.() ?? 0) ? readFileSync(file) : undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Writes nothing if the folder cannot be written.
 *
 * @param compiled Called if it can.
 */
export function writeCodeCache(place: CachePlace, compiled: () => CodeCache): void {
  const path = cachePath(place);
  const temporary = `${path}.${process.pid}`;
  try {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 });
    const file = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(file, cacheBytes(compiled()));
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    removeOld(place);
  } catch {
    removeQuietly(temporary);
  }
}

function cacheBytes(cache: CodeCache): Buffer {
  const header: Header = [...cache].map(([name, { code, chunks }]) => [name, code.length, chunks]);
  const data = Buffer.concat([...cache.values()].map(({ code }) => code));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(data.length, 4);
  const bytes = Buffer.concat([prefix, data, Buffer.from(JSON.stringify(header))]);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)));
  return bytes;
}

const day = 24 * 60 * 60 * 1000;

/** Removes what other versions wrote more than a day ago: two versions can be in use. */
function removeOld({ folder, key }: CachePlace): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!name.startsWith(key) && Date.now() - statSync(path).mtimeMs > day) removeQuietly(path);
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another run removes it.
  }
}

function cachePath({ folder, key, command }: CachePlace): string {
  return join(folder, `${key}-${command}.code`);
}
