import { link, mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { realPathOutside, replaceFile } from '../../model/files.ts';

/** Only the user who runs the command may read reports, plans, snapshots and data. */
const ownOnly = 0o600;

/** Files of a repository get the mode that an editor gives them: the user's umask limits it. */
export const sharedFile = 0o666;

/**
 * Writes a file completely or not at all: first a temporary file in the same folder, then a rename. An existing link is
 * replaced and not followed.
 *
 * @param mode The file mode. @default readable and writable by the user only
 * @throws {AttuneError} if it cannot be written; the former file is kept.
 */
export function writeFile(path: string, text: string, mode: number = ownOnly): Promise<void> {
  return writeFiles(new Map([[path, text]]), mode);
}

/**
 * Writes several files, all or none. All temporary files are complete before the first is renamed, so a full disk changes
 * nothing. If a rename fails, the files that were renamed before it are restored.
 *
 * @throws {AttuneError} if a file cannot be written.
 */
export async function writeFiles(texts: ReadonlyMap<string, string>, mode: number = ownOnly): Promise<void> {
  const beside = [...texts].map(([path, text]) => ({ path, text, name: nameBeside(path) }));
  const moved: Moved[] = [];
  let writing = '';
  try {
    for (const { path, text, name } of beside) {
      writing = path;
      await writeNew(name, text, mode);
    }
    for (const { path, name } of beside) {
      writing = path;
      moved.push(await keep(path));
      await replaceFile(name, path);
    }
  } catch (cause) {
    for (const { name } of beside) await rm(name, { force: true }).catch(ignore);
    for (const one of moved.toReversed()) await putBack(one).catch(ignore);
    throw new AttuneError(`${writing} cannot be written: ${(cause as Error).message}`, {
      code: 'file-not-written',
      cause,
    });
  }
  for (const { former } of moved) if (former !== undefined) await rm(former, { force: true }).catch(ignore);
}

/** A failed clean-up must not hide why the file could not be written. */
function ignore(): void {}

/** A path that gets a new file, and the temporary name of the old one. */
interface Moved {
  readonly path: string;
  readonly former: string | undefined;
  readonly isNew: boolean;
}

/** Hard-links the old file under a second name, without using disk space. If that fails, the old file is not restored. */
async function keep(path: string): Promise<Moved> {
  const former = nameBeside(path);
  try {
    await link(path, former);
    return { path, former, isNew: false };
  } catch (error) {
    return { path, former: undefined, isNew: (error as NodeJS.ErrnoException).code === 'ENOENT' };
  }
}

async function putBack({ path, former, isNew }: Moved): Promise<void> {
  if (former !== undefined) await replaceFile(former, path);
  else if (isNew) await rm(path, { force: true });
}

/**
 * Creates the folders of files. If a link leads one of them out of the working folder, none is created.
 *
 * @throws {AttuneError} if a folder cannot be created or would be outside the working folder.
 */
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
  for (const folder of folders) {
    await mkdir(folder, { recursive: true }).catch((cause: Error) => {
      throw refuse(folder, cause.message, cause);
    });
  }
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
