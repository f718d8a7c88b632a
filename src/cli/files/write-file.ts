import { randomBytes } from 'node:crypto';
import { link, mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AttuneError } from '../../model/attune-error.ts';
import { isInside } from '../../model/files.ts';

/** Only the user who runs the command may read reports, plans, snapshots and data. */
const ownOnly = 0o600;

/** Files for a repository, as an editor makes them: the user's own mask says who else may read them. */
export const sharedFile = 0o666;

/**
 * Writes a file whole or not at all: beside its place first, then moved into it. A link that stands there is replaced
 * and not followed.
 *
 * @param mode Who may read it. @default its user alone
 * @throws {AttuneError} where it cannot be written; what was there before is still there.
 */
export function writeFile(path: string, text: string, mode: number = ownOnly): Promise<void> {
  return writeFiles(new Map([[path, text]]), mode);
}

/**
 * Writes several files that belong together, all or none: all of them stand beside their places before the first is moved
 * into its own, so that a full disk leaves everything as it was; and where one cannot be moved, those before it go back.
 *
 * @throws {AttuneError} where one cannot be written.
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
      await rename(name, path);
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

/** What cannot be cleaned up does not hide why the file could not be written. */
function ignore(): void {}

/** A place that gets its new file, and the name that its old one has meanwhile. */
interface Moved {
  readonly path: string;
  readonly former: string | undefined;
  readonly isNew: boolean;
}

/** Gives what stands there a second name, which takes no room; where that cannot be, it does not come back. */
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
  if (former !== undefined) await rename(former, path);
  else if (isNew) await rm(path, { force: true });
}

/**
 * Makes the folders that files stand in, all or none where a link leads one of them out of the working folder.
 *
 * @throws {AttuneError} where one cannot be made, or would be elsewhere.
 */
export async function makeFolders(files: Iterable<string>, cwd: string): Promise<void> {
  const folders = [...new Set([...files].map(dirname))];
  const refuse = (folder: string, why: string, cause?: unknown) =>
    new AttuneError(`the folder ${folder} cannot be made: ${why}`, { code: 'file-not-written', cause });
  for (const folder of folders) {
    const elsewhere = await realPathOutside(folder, cwd).catch((cause: Error) => {
      throw refuse(folder, cause.message, cause);
    });
    if (elsewhere !== undefined)
      throw refuse(folder, `a link leads to ${elsewhere}, out of the working folder`);
  }
  for (const folder of folders) {
    await mkdir(folder, { recursive: true }).catch((cause: Error) => {
      throw refuse(folder, cause.message, cause);
    });
  }
}

function nameBeside(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
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
 * The real path of a folder below the working folder if a link on the way leads out of the working folder. A change under
 * review can bring such a link. For a folder that does not exist yet, the path is where it would be made.
 */
export async function realPathOutside(folder: string, cwd: string): Promise<string | undefined> {
  if (!isInside(cwd, folder)) return undefined;
  const real = await realPathOf(folder);
  return isInside(await realpath(cwd), real) ? undefined : real;
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return realPathOf(parent);
  }
}
