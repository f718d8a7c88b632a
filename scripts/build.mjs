// Makes build and dist, or nothing if they are already made from these sources. To build in any case, remove the folder build first.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildDigest } from './build-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'build', '.digest');
const digest = buildDigest(root);

const made = ['build/index.js', 'dist/index.js', 'dist/cli/bin.js'].every((file) =>
  existsSync(join(root, file)),
);
if (!(made && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest)) {
  await import('./clean.mjs');
  compile('tsconfig.build.json');
  await import('./compile-schemas.mjs');
  await import('./page-assets.mjs').then(({ writePageAssets }) => writePageAssets());
  await import('./library.mjs');
  await import('./bundle.mjs');
  // Last: a build that was interrupted is not complete.
  writeFileSync(stamp, digest);
}

function compile(project) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  try {
    // `npm run check` checks the types, and npm test runs it.
    execFileSync(process.execPath, [tsc, '-p', project, '--noCheck'], { cwd: root, stdio: 'inherit' });
  } catch {
    process.exit(1);
  }
}
