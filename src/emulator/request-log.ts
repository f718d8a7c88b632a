import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { EmulatorOptions, RequestEntry } from './options.ts';

/** How many requests are kept for those who ask. */
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
      // Half of them go at once: shifting one at a time would cost as much as the list is long.
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
