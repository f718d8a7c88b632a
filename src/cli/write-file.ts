import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AttuneError } from '../model/attune-error.ts';

/** Reports, plans, snapshots and data are for the user who runs the command, and for nobody else on the machine. */
const ownOnly = 0o600;

/**
 * Writes a file whole or not at all: beside its place first, then moved into it. A link that stands there is replaced
 * and not followed.
 *
 * @param mode Who may read it. @default its user alone
 * @throws {AttuneError} where it cannot be written; what was there before is still there.
 */
export async function writeFile(path: string, text: string, mode: number = ownOnly): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(beside, 'wx', mode);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (cause) {
    await rm(beside, { force: true });
    throw new AttuneError(`${path} cannot be written: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
    });
  }
}
