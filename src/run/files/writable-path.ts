import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { realPathOutside } from '../../model/files.ts';

/**
 * The absolute path of a file that an option names, checked before any work is done. For a name inside the working
 * folder, a symbolic link that leads out of the working folder is refused.
 *
 * @param option how the user names the option with the file
 * @throws {AttuneError} if the file cannot be written.
 */
export async function writablePath(option: string, name: string, cwd: string): Promise<string> {
  const refuse = (why: string, cause?: unknown) =>
    new AttuneError(`${option} ${name} cannot be written: ${why}`, { code: 'bad-report-file', cause });
  if (name === '')
    throw new AttuneError(`${option} is empty`, { code: 'bad-report-file', hint: 'name a file' });
  const path = resolve(cwd, name);
  const folder = dirname(path);
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) throw refuse('it is a folder');
  // The file is written by renaming, which would replace a device or a pipe.
  if (entry !== undefined && !entry.isFile()) throw refuse('it is not a regular file');
  const parent = await stat(folder).catch(() => undefined);
  if (!parent?.isDirectory()) throw refuse(`the folder ${folder} does not exist`);
  const elsewhere = await realPathOutside(folder, cwd);
  if (elsewhere !== undefined)
    throw refuse(`the folder ${folder} is a link to ${elsewhere}, outside the working folder`);
  // The file is written by renaming, so the folder must be writable.
  await access(folder, constants.W_OK).catch((cause) => {
    throw refuse(`the folder ${folder} is not writable`, cause);
  });
  return path;
}
