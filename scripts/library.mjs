// Fills dist with the modules and declarations of the library: what the entry points of package.json reach in build, and nothing else.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const [build, dist] = [join(root, 'build'), join(root, 'dist')];
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.values(exports).filter(({ types }) => types);

/**
 * The files that modules import, literal dynamic imports included, or start as workers. The extension of a path in an
 * import can differ from that of its file.
 */
function reached(files, [written, found]) {
  const pattern = new RegExp(`\\b(?:from|import|new URL)\\s*\\(?\\s*['"](\\.[^'"]+)\\${written}['"]`, 'g');
  const all = new Set(files);
  for (const file of all) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(pattern))
      all.add(resolve(dirname(file), path + found));
  }
  return all;
}

const modules = entries.map((entry) => join(build, entry.default.replace('./dist/', '')));
for (const file of reached(modules, ['.js', '.js'])) {
  // Comments are in the declarations. Names stay as they are, for stack traces.
  const options = { minifyWhitespace: true, minifySyntax: true, legalComments: 'none', target: 'node20.19' };
  const { code } = transformSync(readFileSync(file, 'utf8'), options);
  const copy = file.replace(build, dist);
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, code);
}

const declared = reached(
  entries.map(({ types }) => join(root, types)),
  ['.ts', '.d.ts'],
);
for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  if (name.endsWith('.d.ts') && !declared.has(file)) rmSync(file);
}
