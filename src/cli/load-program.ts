import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { type CachePlace, cacheFolder, readCodeCache, writeCodeCache } from './code-cache.ts';

export interface Program {
  /** A CommonJS module. */
  readonly filename: string;
  /** The digest of the file. */
  readonly digest: string;
  /** The commands whose code is kept: names that are safe in the name of a file. */
  readonly commands: readonly string[];
}

type ModuleFunction = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
) => void;

/**
 * Loads the program as `require` does, with the code that earlier runs of the same command have compiled. Node 20 keeps no compiled
 * code; later versions keep what is compiled when a module is loaded, before most of its functions are called.
 */
export function loadProgram({ filename, digest, commands }: Program, require: NodeJS.Require): object {
  const place = cachePlace(digest, commands);
  const kept = place && readCodeCache(place);
  const script = new Script(wrapped(readFileSync(filename, 'utf8')), {
    filename,
    ...(kept && { cachedData: kept.code }),
  });
  const isUsed = kept && script.cachedDataRejected === false;
  if (place && !(isUsed && kept.isComplete))
    process.once('exit', (code) => {
      // A run that fails calls few of the functions of its command.
      const isComplete = code !== 1;
      if (isComplete || !isUsed)
        writeCodeCache(place, () => ({ code: script.createCachedData(), isComplete }));
    });
  const module = { exports: {} };
  const run: ModuleFunction = script.runInThisContext();
  run(module.exports, require, module, filename);
  return module.exports;
}

function wrapped(source: string): string {
  return `(function(exports,require,module,__filename){${source}\n})`;
}

function cachePlace(digest: string, commands: readonly string[]): CachePlace | undefined {
  const { argv } = process;
  // All others print a help or an error.
  const command = commands.find((name) => name === argv[2] && !argv.some(isHelp)) ?? 'help';
  const folder = cacheFolder(process);
  return folder ? { folder, key: `${digest}-${nodeKey()}`, command } : undefined;
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** V8 rejects code that it has compiled with other flags, and two builds of one version can differ. */
function nodeKey(): string {
  const { version, arch, execPath, execArgv, env } = process;
  const start = crc32(JSON.stringify([execPath, execArgv, env.NODE_OPTIONS]));
  return `${version}-${arch}-${start.toString(16)}`;
}
