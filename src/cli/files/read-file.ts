import { resolve } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { readRegularFile } from '../../model/files.ts';

/** @throws {AttuneError} where the file is not there or cannot be read. */
export async function readFile(
  name: string,
  cwd: string,
  told: { readonly code: string; readonly hint: string },
): Promise<string> {
  try {
    return await readRegularFile(resolve(cwd, name));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`;
    throw new AttuneError(`${name} ${why}`, { ...told, cause });
  }
}
