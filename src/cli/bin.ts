#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { version } from './manifest.ts';

if (!printsVersion()) {
  // Node 22.8 and later keep the compiled code of the modules that are loaded from here on.
  if ('enableCompileCache' in nodeModule) (nodeModule.enableCompileCache as () => void)();
  void import('./main.ts').then(({ main }) => main());
}

/** The version alone needs no command line. If stdout cannot be written now, the program reports it. */
function printsVersion(): boolean {
  if (process.argv.length !== 3 || process.argv[2] !== '--version') return false;
  try {
    writeFileSync(1, `${version()}\n`);
    return true;
  } catch {
    return false;
  }
}
