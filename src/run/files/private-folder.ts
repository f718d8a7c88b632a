import { rmSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls a function with a new folder that only this user can read. The folder is removed afterwards, also if a signal ends the run. */
export async function withPrivateFolder<Result>(
  prefix: string,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  const release = atEnd(() => rmSync(folder, { recursive: true, force: true }));
  try {
    return await use(folder);
  } finally {
    release();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A process that handles signals ends by itself. */
function atEnd(cleanUp: () => void): () => void {
  process.on('exit', cleanUp);
  const handlers = endingSignals
    .filter((signal) => process.listenerCount(signal) === 0)
    .map((signal) => {
      const handler = () => {
        cleanUp();
        process.off(signal, handler);
        process.kill(process.pid, signal);
      };
      process.on(signal, handler);
      return [signal, handler] as const;
    });
  return () => {
    process.off('exit', cleanUp);
    for (const [signal, handler] of handlers) process.off(signal, handler);
  };
}
