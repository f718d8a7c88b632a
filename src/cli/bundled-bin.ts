#!/usr/bin/env node
import { join } from 'node:path';
import { surviveEarlyHangup } from './early-hangup.ts';
import { printsVersion } from './print-version.ts';

/** The build replaces the name. */
declare const program: { readonly digest: string; readonly commands: readonly string[] };

surviveEarlyHangup();
if (!printsVersion()) {
  void import('./load-program.ts').then(({ loadProgram }) => {
    const filename = join(__dirname, 'main.js');
    const { main } = loadProgram({ ...program, filename }, require) as typeof import('./main.ts');
    return main();
  });
}
