import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Installs the built package into a folder, and what it shares with programs, as `npm install` would. */
export async function installInto(folder: string): Promise<string> {
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(root, join(folder, 'node_modules', 'attune'), 'dir');
  await symlink(join(root, 'node_modules', 'constructs'), join(folder, 'node_modules', 'constructs'), 'dir');
  return folder;
}

/** Compiles a folder by its `tsconfig.json`. Returns the output of the compiler: empty if there are no errors. */
export function compile(folder: string): string {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** The environment of a shell that finds the `node` of this process. */
export const shellEnv = { PATH: `${join(process.execPath, '..')}:${process.env.PATH ?? ''}` };
