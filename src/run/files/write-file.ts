import { rmSync } from 'node:fs';
import { access, constants, mkdir, mkdtemp, open, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AttuneError } from '../../model/diagnostic.ts';
import { realPathOutside, replaceFile } from '../../model/files.ts';

/** Only the user who runs the command may read reports, plans, snapshots and data. */
const ownOnly = 0o600;

/** Files of a repository get the mode that an editor gives them: the user's umask limits it. */
export const sharedFile = 0o666;

/**
 * Writes a file completely or not at all: first a temporary file in the same folder, then a rename. An existing link is
 * replaced and not followed.
 */
export function writeFile(path: string, text: string, mode: number = ownOnly): Promise<void> {
  return writeFiles(new Map([[path, text]]), mode);
}

/** Writes several files. All temporary files are complete before the first is renamed, so a full disk changes nothing. */
export async function writeFiles(texts: ReadonlyMap<string, string>, mode: number): Promise<void> {
  const beside = [...texts].map(([path, text]) => ({ path, text, name: nameBeside(path) }));
  let writing = '';
  try {
    for (const { path, text, name } of beside) {
      writing = path;
      await writeNew(name, text, mode);
    }
    for (const { path, name } of beside) {
      writing = path;
      await replaceFile(name, path);
    }
  } catch (cause) {
    // A failed clean-up must not hide why the file could not be written.
    for (const { name } of beside) await rm(name, { force: true }).catch(() => {});
    throw new AttuneError(`${writing} cannot be written: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
    });
  }
}

/** Creates the folders of files. If a link leads one of them out of the working folder, none is created. */
export async function makeFolders(files: Iterable<string>, cwd: string): Promise<void> {
  const folders = [...new Set([...files].map(dirname))];
  const refuse = (folder: string, why: string, cause?: unknown) =>
    new AttuneError(`the folder ${folder} cannot be created: ${why}`, { code: 'file-not-written', cause });
  for (const folder of folders) {
    const elsewhere = await realPathOutside(folder, cwd).catch((cause: Error) => {
      throw refuse(folder, cause.message, cause);
    });
    if (elsewhere !== undefined)
      throw refuse(folder, `a link leads to ${elsewhere}, outside the working folder`);
  }
  for (const folder of folders)
    await mkdir(folder, { recursive: true }).catch((cause: Error) => {
      throw refuse(folder, cause.message, cause);
    });
}

function nameBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${Math.random().toString(36).slice(2)}`);
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * The absolute path of a file that an option names, checked before any work is done. For a name inside the working folder,
 * a symbolic link that leads out of the working folder is refused.
 */
export async function writablePath(option: string, name: string, cwd: string): Promise<string> {
  const refuse = (why: string, cause?: unknown) =>
    new AttuneError(`${option}${name && ` ${name}`} cannot be written: ${why}`, {
      code: 'file-not-written',
      hint: 'name a file in an existing and writable folder',
      cause,
    });
  if (name === '') throw refuse('it names no file');
  const path = resolve(cwd, name);
  const folder = dirname(path);
  const entry = await stat(path).catch(() => undefined);
  // The file is written by renaming, which would replace a device or a pipe.
  if (entry && !entry.isFile())
    throw refuse(`it is ${entry.isDirectory() ? 'a folder' : 'not a regular file'}`);
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

/** Calls a function with a new folder that only this user can read. The folder is removed afterwards, also if the process exits before. */
export async function withPrivateFolder<Result>(
  prefix: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    return await use(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
