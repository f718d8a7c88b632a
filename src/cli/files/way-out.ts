import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isInside } from '../../model/files.ts';

/**
 * Where a folder below the working folder really is, when a link on the way leads out of that, as a change under review
 * may bring one; `undefined` where none does. A folder that is not there yet is where it would be made.
 */
export async function wayOut(folder: string, cwd: string): Promise<string | undefined> {
  if (!isInside(cwd, folder)) return undefined;
  const real = await realOf(folder);
  return isInside(await realpath(cwd), real) ? undefined : real;
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return realOf(parent);
  }
}
