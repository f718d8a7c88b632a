#!/usr/bin/env node
import { join } from 'node:path';
import { start } from './start.ts';

/** The build replaces the name. */
declare const program: { readonly digest: string; readonly commands: readonly string[] };

if (start()) {
  void import('./load-program.ts').then(({ loadProgram }) => {
    const filename = join(__dirname, 'main.js');
    const { main } = loadProgram({ ...program, filename }, require) as typeof import('./main.ts');
    return main();
  });
}
