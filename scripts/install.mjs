import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the packages of a folder with its own package.json and lock file, unless they are installed already.
 *
 * Tools that few developers run have such a folder, so that `npm ci` of the repository stays fast.
 *
 * @param {string} folder
 */
export function install(folder) {
  const changed = (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changed('node_modules/.package-lock.json') >= changed('package-lock.json')) return;
  run('npm', ['ci', '--silent'], folder);
}

/**
 * Runs a program, and ends this process if it fails.
 *
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {string} cwd
 */
export function run(command, argv, cwd) {
  // The programs of packages are shell scripts on Windows.
  const { status } = spawnSync(command, argv, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
