import { spawnSync } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { folderWith } from '../../support/attune.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The built package in a folder with these packages beside it; what it makes of a construct outside of any stack. */
async function libraryBeside(...packages: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const folder = await folderWith({ 'package.json': '{"type": "module"}' });
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  for (const name of packages)
    await cp(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true });
  for (const name of ['constructs', ...Object.keys(manifest.dependencies)]) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link, 'dir');
  }
  const program = `
    import { libraryOf } from './dist/cdktf/workspace-configuration.js';
    try {
      console.log(libraryOf({ node: { scopes: [] } }).TerraformStack.name);
    } catch (error) {
      console.error(error.code + ': ' + error.message + '; ' + error.hint);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { stdout, stderr };
}

test('the error of attune/cdktf without an installed library names the packages to install', async () => {
  expect(await libraryBeside()).toEqual({
    stdout: '',
    stderr:
      'no-cdktf: attune/cdktf requires cdktf or its successor cdktn, but neither is installed; run `npm install cdktn constructs`\n',
  });
});

test('attune/cdktf works with cdktn alone', async () => {
  expect(await libraryBeside('cdktn')).toEqual({ stdout: 'TerraformStack\n', stderr: '' });
});
