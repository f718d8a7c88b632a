import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { EmulatorOptions, RequestEntry } from './options.ts';

/** Maximum number of requests that are kept. */
const kept = 100_000;

export interface RequestLog {
  readonly entries: readonly RequestEntry[];
  add(entry: RequestEntry): void;
  clear(): void;
  close(): Promise<void>;
}

/** Keeps the requests of a run, and passes each one on to a file or a function. */
export function createRequestLog(target: EmulatorOptions['log']): RequestLog {
  const entries: RequestEntry[] = [];
  const file: WriteStream | undefined =
    typeof target === 'string' ? createWriteStream(target, { flags: 'a', mode: 0o600 }) : undefined;
  let failure: Error | undefined;
  file?.on('error', (error) => {
    failure = error;
  });
  return {
    entries,
    add(entry) {
      // Removes many at once, because removing the first one of a list is linear in its length.
      if (entries.length >= kept * 1.5) entries.splice(0, entries.length - kept);
      entries.push(entry);
      if (typeof target === 'function') target(entry);
      if (file && !failure) file.write(`${JSON.stringify(entry)}\n`);
    },
    clear() {
      entries.length = 0;
    },
    async close() {
      if (!file || failure) return;
      file.end();
      await finished(file);
    },
  };
}
