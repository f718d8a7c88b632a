import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

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
