import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/** A name leads to a folder, a named pipe or a device. */
export class NotAFileError extends Error {
  override readonly name = 'NotAFileError';
  readonly isFolder: boolean;

  constructor(isFolder: boolean) {
    super(isFolder ? 'it is a folder' : 'it is not a regular file');
    this.isFolder = isFolder;
  }
}

/**
 * Opens a file for reading. A named pipe could block for ever, and a device could have no end.
 *
 * @throws {@link NotAFileError} if it is not a regular file, else the error of the system.
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, a named pipe is not open before somebody writes to it. Windows has neither.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const entry = await file.stat();
    if (entry.isFile()) return file;
    throw new NotAFileError(entry.isDirectory());
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Reads a file as UTF-8 text.
 *
 * @throws {@link NotAFileError} if it is not a regular file, else the error of the system.
 */
export async function readRegularFile(path: string): Promise<string> {
  const file = await openRegularFile(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** A path as it is written in a file and shown to people: with `/` on every system. */
export function slashed(path: string): string {
  return path.split(sep).join('/');
}

/** Whether a path is a folder or below it. Links are not followed: where they count, give real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
