import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, realpathSync } from 'node:fs';
import { open, readlink, realpath, rename } from 'node:fs/promises';
import system, { basename, dirname, join, type PlatformPath, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceLocation } from './diagnostic.ts';
import { attempt } from './value.ts';

export class NotAFileError extends Error {
  override readonly name = 'NotAFileError';

  constructor(isFolder: boolean) {
    super(isFolder ? 'it is a folder' : 'it is not a regular file');
  }
}

// Without O_NONBLOCK, opening a named pipe blocks until it has a writer. Windows has neither.
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file for reading. It refuses named pipes, which can block forever, and devices, which can be endless. The calls of
 * the system take less time than a promise for each of the many small files of a configuration.
 */
function withRegularFile<Result>(path: string, read: (file: number, size: number) => Result): Result {
  const file = openSync(path, readWithoutWaiting);
  try {
    const entry = fstatSync(file);
    if (!entry.isFile()) throw new NotAFileError(entry.isDirectory());
    return read(file, entry.size);
  } finally {
    closeSync(file);
  }
}

/**
 * Reads a file that has at most `limit` bytes.
 *
 * @throws {@link NotAFileError} if it is not a regular file, else the error of the system.
 */
export function readBoundedFile(path: string, limit: number) {
  return withRegularFile(path, (file, size) => {
    if (size > limit) return { size };
    const bytes = readFileSync(file);
    // The file can grow while it is read.
    return { size: bytes.length, ...(bytes.length <= limit && { bytes }) };
  });
}

const megabyte = 1024 * 1024;
/** More than the largest snapshots and journals, and less than the longest text of JavaScript. */
const largest = 256 * megabyte;

export function textOfFile(path: string): string {
  const { bytes } = readBoundedFile(path, largest);
  if (bytes === undefined) throw new Error(`it is larger than ${largest / megabyte} MiB`);
  return bytes.toString();
}

export async function readRegularFile(path: string): Promise<string> {
  return textOfFile(path);
}

export function startOfFile(path: string, most: number): string | undefined {
  const bytes = Buffer.alloc(most);
  return attempt(() => withRegularFile(path, (file) => bytes.toString('utf8', 0, readSync(file, bytes))));
}

interface ReplaceOptions {
  readonly platform?: NodeJS.Platform;
  readonly move?: (from: string, to: string) => Promise<void>;
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/**
 * Renames a file and replaces the one that has its name. On Windows this fails while another program, such as a virus
 * scanner, reads one of them, so it is tried again for about a second.
 */
export async function replaceFile(
  from: string,
  to: string,
  { platform = process.platform, move = rename, wait = sleep }: ReplaceOptions = {},
): Promise<void> {
  for (let pause = 10; ; pause *= 2) {
    try {
      await move(from, to);
      return;
    } catch (error) {
      const isBusy = /^(EACCES|EBUSY|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '');
      if (platform !== 'win32' || !isBusy || pause > 1000) throw error;
    }
    await wait(pause);
  }
}

/** A new file, or a new name, survives a crash of the machine only once its folder is synced to the disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders and does not need to sync them.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

export function relativePath(folder: string, path: string): string {
  return slashed(relative(folder, path));
}

export function movedLocation(location: SourceLocation, from: string, to: string): SourceLocation {
  return { ...location, file: relativePath(to, resolve(from, location.file)) };
}

/**
 * A path with `/` on every system, for files and messages.
 *
 * @param paths The rules of a system. @default those of this system
 */
export function slashed(path: string, paths: PlatformPath = system): string {
  return path.split(paths.sep).join('/');
}

/** Symbolic links are not followed: pass real paths if links matter. */
export function isInside(folder: string, path: string, paths: PlatformPath = system): boolean {
  const way = paths.relative(folder, path);
  return way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way);
}

/** The path does not have to exist: a link to nothing leads to where the file would be made. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
  }
  const folder = await realPathOf(dirname(path));
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? join(folder, basename(path)) : realPathOf(resolve(folder, target));
}

export function isSameFile(one: string, other: string): boolean {
  return one === other || attempt(() => realpathSync(one) === realpathSync(other)) === true;
}

export async function realPathOutside(path: string, folder: string): Promise<string | undefined> {
  if (!isInside(folder, path)) return undefined;
  const real = await realPathOf(path);
  return isInside(await realPathOf(folder), real) ? undefined : real;
}

/** Texts that arrive during a write are written together. After a failure no text is accepted, so that there is no gap. */
export function groupWrites(write: (texts: string) => Promise<void>) {
  let failure: { readonly cause: unknown } | undefined;
  let waiting = '';
  let next: Promise<void> | undefined;
  let last = Promise.resolve();
  const writeWaiting = async () => {
    const texts = waiting;
    waiting = '';
    next = undefined;
    if (failure) throw failure.cause;
    await write(texts).catch((cause) => {
      failure = { cause };
      throw cause;
    });
  };
  return {
    append(text: string): Promise<void> {
      waiting += text;
      if (next === undefined) {
        next = last.then(writeWaiting, writeWaiting);
        last = next;
      }
      return next;
    },
    hasFailed: () => failure !== undefined,
    idle: () => last.catch(() => undefined),
  };
}

export function commonFolder(files: readonly string[]): string {
  const [first = '.', ...others] = files.map(dirname);
  let folder = first;
  while (others.some((other) => !isInside(folder, other)) && dirname(folder) !== folder)
    folder = dirname(folder);
  return folder;
}
