#!/usr/bin/env node
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// While the program of `watch` is loaded, SIGHUP must not end it: it asks for a cycle, and the first one is yet to begin.
if (process.argv[2] === 'watch') process.on('SIGHUP', () => {});
cacheCompiledCode();
void import('./main.ts').then(({ main }) => main());

/** Node's own cache, in its own folder. Node 20 has none. */
function cacheCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (!enableCompileCache || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const folder = join(tmpdir(), 'node-compile-cache');
  try {
    // Node creates it with its parents, and tries for ever where nothing can be created, such as below /proc.
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It exists, or nothing is cached.
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  // Node runs the code in this folder and checks no owner.
  if (found?.isDirectory() && found.uid === (process.getuid?.() ?? 0)) enableCompileCache(folder);
}
