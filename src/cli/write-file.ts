import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AttuneError } from '../model/attune-error.ts';

/**
 * Writes a file whole or not at all: beside its place first, then moved into it. A link that stands there is replaced
 * and not followed.
 *
 * @throws {AttuneError} where it cannot be written; what was there before is still there.
 */
export async function writeFile(path: string, text: string): Promise<void> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = await open(beside, 'wx');
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
