import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, rename, unlink, writeFile } from 'node:fs/promises';
import { readRegularFile } from '../../model/files.ts';
import { checkOwn, DataError } from './own-file.ts';

/** Files that this process holds: its own pid in a lock proves nothing, because containers reuse a few pids. */
const held = new Set<string>();

interface Holder {
  readonly pid: number;
  readonly token: string;
}

/** Locks a data file, or throws if another process uses it. Returns a function that unlocks it. */
export async function lockFile(data: string): Promise<() => Promise<void>> {
  const path = `${data}.lock`;
  const token = randomUUID();
  const mine = `${path}.${token}`;
  await writeFile(mine, JSON.stringify({ pid: process.pid, token } satisfies Holder), { mode: 0o600 });
  try {
    await take(path, mine, data);
  } finally {
    await unlink(mine).catch(() => undefined);
  }
  held.add(path);
  return async () => {
    held.delete(path);
    if ((await holderOf(path))?.token === token) await unlink(path).catch(() => undefined);
  };
}

/** Creating a hard link either creates the name with its content, or fails. Some file systems have no hard links. */
async function place(mine: string, path: string): Promise<void> {
  try {
    await link(mine, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    await copyFile(mine, path, constants.COPYFILE_EXCL);
  }
}

/** Of two processes that start at once, one succeeds. */
async function take(path: string, mine: string, data: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      await place(mine, path);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await checkOwn(path, 'lock');
    const holder = await holderOf(path);
    if (held.has(path) || (holder && holder.pid !== process.pid && isAlive(holder.pid))) {
      throw new DataError(
        `${data} is in use by process ${holder?.pid ?? process.pid}. Stop that process; if it is not an emulator, delete ${path}.`,
      );
    }
    await discard(path, holder);
  }
  throw new DataError(`${data} could not be locked: other processes keep taking ${path}.`);
}

/** Moves the lock of a dead process aside. If another process was faster, its new lock is restored. */
async function discard(path: string, dead: Holder | undefined): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const moved = await holderOf(aside);
  if (moved && moved.token !== dead?.token) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}

async function holderOf(path: string): Promise<Holder | undefined> {
  try {
    const holder: Partial<Holder> = JSON.parse(await readRegularFile(path));
    if (typeof holder.pid !== 'number') return undefined;
    return { pid: holder.pid, token: String(holder.token) };
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled, but it exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
