// Fills dist with the modules and declarations of the library: what the entry points of package.json reach in build, and nothing else.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transformSync } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.values(exports).filter(({ types }) => types);

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => entry.default.replace('./dist/', 'build/')),
  outdir: 'dist',
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
});
for (const file of Object.keys(metafile.inputs)) {
  // Comments are in the declarations. Names stay as they are, for stack traces.
  const options = { minifyWhitespace: true, minifySyntax: true, legalComments: 'none', target: 'node20.19' };
  const { code } = transformSync(readFileSync(join(root, file), 'utf8'), options);
  const copy = join(root, file.replace('build/', 'dist/'));
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, code);
}

const tsc = join(root, 'node_modules/typescript/bin/tsc');
const listing = [
  '--listFilesOnly',
  '--ignoreConfig',
  '--module',
  'nodenext',
  '--skipLibCheck',
  '--types',
  'node',
];
const types = entries.map((entry) => entry.types);
const listed = execFileSync(process.execPath, [tsc, ...listing, ...types], { cwd: root, encoding: 'utf8' });
const declared = new Set(listed.split('\n'));
for (const name of readdirSync(dist, { recursive: true })) {
  if (name.endsWith('.d.ts') && !declared.has(join(dist, name))) rmSync(join(dist, name));
}
