#!/usr/bin/env node
import { bundleLoader } from './bundle-loader.ts';
import { printsVersion } from './print-version.ts';

/** The build replaces the name. */
declare const bundle: { readonly digest: string; readonly commands: readonly string[] };

/** A file of several chunks, and the one that is the program. */
interface Start {
  load(chunk: 'main.js'): typeof import('./main.ts');
}

if (!printsVersion()) {
  const load = bundleLoader({ ...bundle, folder: __dirname, require, importPackage: (name) => import(name) });
  const start = load('./start.js') as Start;
  void start.load('main.js').main();
}
