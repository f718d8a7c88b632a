// Builds the package if it has no build: after `npm ci` in a checkout, and where npm or pre-commit installs from Git.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (command) => {
  const env = { ...process.env, npm_config_global: 'false' };
  execSync(command, { cwd: root, stdio: 'inherit', env });
};

if (!existsSync(`${root}dist/cli/bin.js`)) {
  // `npm install --global` of a Git repository prepares it without its development dependencies.
  if (!existsSync(`${root}node_modules/typescript`)) run('npm ci --ignore-scripts --include=dev');
  run('npm run --silent build');
}
