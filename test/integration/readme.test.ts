import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/pages.ts';
import { linkPackages } from '../support/program-folder.ts';

test('the program of README.md plans the quick start with the built package', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  // The example can have been applied, and then it has data.
  const folder = mkdtempSync(join(tmpdir(), 'attune-readme-'));
  cpSync(join(root, 'examples', 'quickstart'), folder, {
    recursive: true,
    filter: (path) => basename(path) !== '.attune',
  });
  linkPackages(folder, { attune: root });
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^\[ 9 \]\n<!-- attune:plan:/);
});
