import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { cacheFolder } from './cache-folder.ts';
import { type CachePlace, type CodeCache, readCodeCache, writeCodeCache } from './code-cache.ts';

export interface BundleOptions {
  readonly folder: string;
  /** The digest of all files of the bundle. */
  readonly digest: string;
  /** The commands whose code is kept: names that are safe in the name of a file. */
  readonly commands: readonly string[];
  /** Loads modules of Node and packages. */
  readonly require: Require;
  readonly importPackage: ImportPackage;
}

type Require = (name: string) => unknown;
type ImportPackage = (name: string) => Promise<unknown>;

interface Module {
  exports: object;
}

type ModuleFunction = (
  exports: object,
  require: Require,
  module: Module,
  filename: string,
  importPackage: ImportPackage,
) => void;

interface LoadedFile {
  readonly script: Script;
  readonly module: Module;
  /** V8 has used the code of the cache. */
  readonly isCached: boolean;
}

/**
 * A `require` for the files of the bundle, which are CommonJS modules. It uses the code that earlier runs of the same command have compiled.
 * Node 20 keeps no compiled code; later versions keep what is compiled when a module is loaded, before most of its functions are called.
 */
export function bundleLoader(options: BundleOptions): Require {
  const { folder, digest, commands, require, importPackage } = options;
  const place = cachePlace(digest, commands);
  const cache: CodeCache = (place && readCodeCache(place)) ?? new Map();
  const files = new Map<string, LoadedFile>();
  if (place) process.once('exit', () => updateCache(place, cache, files));

  const load: Require = (name) => {
    if (!name.startsWith('./')) return require(name);
    const loaded = files.get(name);
    if (loaded) return loaded.module.exports;
    const filename = join(folder, name);
    const cachedData = cache.get(name)?.code;
    const script = new Script(wrapped(readFileSync(filename, 'utf8')), {
      filename,
      ...(cachedData && { cachedData }),
    });
    const module: Module = { exports: {} };
    files.set(name, { script, module, isCached: script.cachedDataRejected === false });
    const run: ModuleFunction = script.runInThisContext();
    run(module.exports, load, module, filename, importPackage);
    return module.exports;
  };
  return load;
}

function wrapped(source: string): string {
  return `(function(exports,require,module,__filename,importPackage){${source}\n})`;
}

function cachePlace(digest: string, commands: readonly string[]): CachePlace | undefined {
  const command = commands.find((name) => name === process.argv[2]);
  const folder = command && cacheFolder(process);
  return folder ? { folder, key: `${digest}-${nodeKey()}`, command } : undefined;
}

/** V8 rejects code that it has compiled with other flags, and two builds of one version can differ. */
function nodeKey(): string {
  const { version, arch, execPath, execArgv, env } = process;
  const start = crc32(JSON.stringify([execPath, execArgv, env.NODE_OPTIONS]));
  return `${version}-${arch}-${start.toString(16)}`;
}

/** Writes the code of this run if it has loaded more than the runs before it. */
function updateCache(place: CachePlace, cache: CodeCache, files: ReadonlyMap<string, LoadedFile>): void {
  const isNew = ([name, { module, isCached }]: readonly [string, LoadedFile]) =>
    !isCached || chunksOf(module) > (cache.get(name)?.chunks ?? 0);
  if (![...files].some(isNew)) return;
  writeCodeCache(place, () => {
    const code = new Map(cache);
    for (const [name, { script, module }] of files)
      code.set(name, { code: script.createCachedData(), chunks: chunksOf(module) });
    return code;
  });
}

/** The build puts several chunks into one file. */
function chunksOf({ exports }: Module): number {
  return 'loaded' in exports && exports.loaded instanceof Map ? exports.loaded.size : 0;
}
