import { lstat, unlink, writeFile } from 'node:fs/promises';
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

export async function lockFile(data: string): Promise<() => Promise<void>> {
  const path = `${data}.lock`;
  const inUse = (pid: number | undefined) =>
    new EmulatorError(
      `${data} is in use by ${pid === undefined ? 'another process' : `process ${pid}`}. Stop that process; if it is not an emulator, delete ${path}.`,
    );
  if (held.has(path)) throw inUse(process.pid);
  held.add(path);
  try {
    await checkOwn(path, '{"pid":');
    const pid = await holderOf(path);
    if (pid !== undefined && pid !== process.pid && isAlive(pid)) throw inUse(pid);
    if (pid !== undefined) await unlink(path);
    await writeFile(path, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode: 0o600 }).catch(
      (error) => {
        throw error.code === 'EEXIST' ? inUse(undefined) : error;
      },
    );
  } catch (error) {
    held.delete(path);
    throw error;
  }
  return async () => {
    held.delete(path);
    await unlink(path).catch(() => undefined);
  };
}

/** Undefined if there is no lock, or another process is just writing it. */
async function holderOf(path: string): Promise<number | undefined> {
  try {
    const { pid } = JSON.parse(await readRegularFile(path));
    return typeof pid === 'number' ? pid : undefined;
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
