import { existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type PackedYaml, packYaml } from './pack-yaml.ts';

/** Packs the texts of files. Those that it expects are packed on another processor before they are needed. */
export interface Packer {
  /** These files are needed soon, in this order. They are ignored if they are small. */
  expect(paths: readonly string[]): void;
  /** @returns what `packYaml` makes of the text */
  pack(path: string, text: string): Promise<PackedYaml | undefined>;
  /** Ends the worker. */
  close(): void;
}

/** Bytes. If the files are larger than this together, a worker saves more time than its start takes. */
const muchText = 1024 * 1024;
/** Number of files that are packed before they are needed. More would take memory and save no time. */
const depth = 3;

interface Expected {
  readonly text: string;
  readonly answer: Promise<Answer>;
  /** The files that are expected after it. */
  readonly next: string[];
}

/**
 * @param read the text of a file; undefined if it cannot be read
 * @param findModule what the worker runs; undefined for none
 */
export function createPacker(read: (path: string) => string | undefined, findModule = workerModule): Packer {
  let worker: PackWorker | undefined;
  const expected = new Map<string, Expected>();
  const packNext = (to: PackWorker, next: string[]) => {
    for (let path = next.shift(); path !== undefined; path = next.shift()) {
      const text = read(path);
      if (text === undefined) continue;
      expected.set(path, { text, answer: to.pack(text), next });
      return;
    }
  };
  return {
    expect(paths) {
      if (!worker && totalSize(paths) >= muchText) worker = startWorker(findModule());
      const next = [...paths];
      for (let count = 0; worker && count < depth; count++) packNext(worker, next);
    },
    async pack(path, text) {
      const known = expected.get(path);
      expected.delete(path);
      if (known && worker) packNext(worker, known.next);
      // The file can have changed since, and the worker can have failed.
      const answer = known?.text === text ? await known.answer : undefined;
      return answer ? answer.packed : packYaml(text);
    },
    close: () => worker?.close(),
  };
}

/** An executable and a bundle of an application have no file for it, and one processor needs no worker. */
function workerModule(): URL | undefined {
  if (availableParallelism() < 2 || !URL.canParse('./pack-worker.js', import.meta.url)) return undefined;
  const module = new URL('./pack-worker.js', import.meta.url);
  return existsSync(module) ? module : undefined;
}

function totalSize(paths: readonly string[]): number {
  return paths.reduce((sum, path) => sum + sizeOf(path), 0);
}

/** Files that cannot be read are reported when they are loaded. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/** Undefined if the worker has ended. */
type Answer = { readonly packed: PackedYaml | undefined } | undefined;

interface PackWorker {
  pack(text: string): Promise<Answer>;
  close(): void;
}

function startWorker(module: URL | undefined): PackWorker | undefined {
  if (!module) return undefined;
  // It runs no modules that the user has preloaded.
  const worker = new Worker(module, { execArgv: [], env: {} });
  const waiting: ((answer: Answer) => void)[] = [];
  let hasEnded = false;
  worker.on('message', (packed: PackedYaml | undefined) => waiting.shift()?.({ packed }));
  // Without a listener, an error of the worker would end the process.
  worker.on('error', () => {});
  worker.on('exit', () => {
    hasEnded = true;
    for (const end of waiting.splice(0)) end(undefined);
  });
  return {
    pack: (text) =>
      new Promise((resolve) => {
        if (hasEnded) return resolve(undefined);
        waiting.push(resolve);
        worker.postMessage(text);
      }),
    close: () => void worker.terminate(),
  };
}
