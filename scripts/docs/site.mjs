// Builds the documentation as a site into docs/.vitepress/dist. VitePress has its own package.json in docs/, so that
// `npm ci` of the repository stays fast; it is installed here when its lock file is newer than what is installed.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const changed = (file) => statSync(docs + file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) run('npm', ['ci', '--silent']);
run('npx', ['vitepress', 'build']);

function run(command, argv) {
  const { status } = spawnSync(command, argv, { cwd: docs, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
