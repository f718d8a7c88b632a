// Builds the package if it has no build: after `npm ci` in a checkout, and where npm or pre-commit installs from Git.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command) => execSync(command, { cwd: root, stdio: 'inherit' });

if (!existsSync(`${root}dist/cli/bin.js`)) {
  // As after `npm ci --omit=dev`.
  if (!existsSync(`${root}node_modules/typescript`)) run('npm ci --ignore-scripts --include=dev');
  run('npm run --silent build');
}
