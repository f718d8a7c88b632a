// Module hooks of Node that load the sources and tests of a Stryker sandbox without a build.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { pageAssetsCode } from '../../scripts/page-assets.mjs';

const pageAssets = 'page-assets:code';
/** Test files are loaded again for each mutant. */
const compiled = new Map();

export async function resolve(specifier, context, next) {
  return specifier.endsWith('/page-assets.js')
    ? { url: pageAssets, shortCircuit: true }
    : next(specifier, context);
}

export async function load(url, context, next) {
  if (url === pageAssets) return asModule(pageAssetsCode());
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !pathname.endsWith('.ts')) return next(url, context);
  if (!compiled.has(pathname)) compiled.set(pathname, await compile(fileURLToPath(url)));
  return asModule(compiled.get(pathname));
}

async function compile(file) {
  const { code } = await transform(await readFile(file, 'utf8'), { loader: 'ts', target: 'node20' });
  return code;
}

function asModule(source) {
  return { format: 'module', source, shortCircuit: true };
}
