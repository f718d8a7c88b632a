import { lstat, rm } from 'node:fs/promises';
import { AttuneError } from '../../model/attune-error.ts';
import { startOfFile } from '../../model/files.ts';

/**
 * The data file cannot be used. The message names it and the remedy; the file is not changed.
 *
 * @example
 * ```ts
 * import { DataError, startEmulator } from 'attune/emulator';
 *
 * const first = await startEmulator({ data: 'service.json' });
 * const error = await startEmulator({ data: 'service.json' }).catch((reason: unknown) => reason);
 * console.log(error instanceof DataError && error.code); // bad-data
 * await first.stop();
 * ```
 */
export class DataError extends AttuneError {
  override readonly name = 'DataError';
  override readonly code = 'bad-data';
}

/** The files beside a data file, by what they begin with. A kill can leave each of them empty or incomplete. */
const starts = {
  new: ['{"format":"attune.emulator/'],
  journal: ['[["put","', '[["remove","'],
  lock: ['{"pid":'],
} as const;

/**
 * Removes a file beside the data that an earlier run left, so that a new one can get its name. No other program's file is
 * removed, and no link is followed.
 *
 * @throws {DataError} if something else has the name.
 */
export async function removeOwn(path: string, kind: keyof typeof starts): Promise<void> {
  await checkOwn(path, kind);
  await rm(path, { force: true });
}

/** @throws {DataError} if something else than a file of this kind has the name. */
export async function checkOwn(path: string, kind: keyof typeof starts): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry === undefined) return;
  const text = entry.isFile() ? startOfFile(path, 32) : undefined;
  const isOwn = starts[kind].some((start) => text?.startsWith(start) || (text && start.startsWith(text)));
  if (isOwn || text === '') return;
  throw new DataError(`${path} was not made by the embedded service. It was not changed.`, {
    hint: 'choose another data file with service.data or --data, or move this file',
  });
}
