import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, lstat, rename, unlink, writeFile } from 'node:fs/promises';
import { readRegularFile, startOfFile } from '../../model/files.ts';
import { EmulatorError } from '../emulator-error.ts';

/**
 * No other program's file beside the data is removed, and no link is followed. A kill can leave an own one empty or incomplete.
 *
 * @throws {EmulatorError} if something else than a file that begins this way has the name.
 */
export async function checkOwn(path: string, start: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry === undefined) return;
  const text = entry.isFile() ? startOfFile(path, start.length) : undefined;
  if (text !== undefined && start.startsWith(text)) return;
  throw new EmulatorError(`${path} was not made by the embedded service. It was not changed.`, {
    hint: 'choose another data file with service.data or --data, or move this file',
  });
}

/** Files that this process holds: its own pid in a lock proves nothing, because containers reuse a few pids. */
const held = new Set<string>();

interface Holder {
  readonly pid: number;
  readonly token: string;
}

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

/** Of two processes that start at once, one succeeds: a hard link is created with its content, or not at all. */
async function take(path: string, mine: string, data: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      // Some file systems have no hard links.
      await link(mine, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') throw error;
        return copyFile(mine, path, constants.COPYFILE_EXCL);
      });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await checkOwn(path, '{"pid":');
    const holder = await holderOf(path);
    if (held.has(path) || (holder && holder.pid !== process.pid && isAlive(holder.pid))) {
      throw new EmulatorError(
        `${data} is in use by process ${holder?.pid ?? process.pid}. Stop that process; if it is not an emulator, delete ${path}.`,
      );
    }
    await discard(path, holder);
  }
  throw new EmulatorError(`${data} could not be locked: other processes keep taking ${path}.`);
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
    return typeof holder.pid === 'number' ? { pid: holder.pid, token: String(holder.token) } : undefined;
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
