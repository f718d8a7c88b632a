import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('the program of README.md plans the quick start with the built package', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const program = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(root, 'examples', 'quickstart'),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^\[ 9 \]\n<!-- attune:plan:/);
});
