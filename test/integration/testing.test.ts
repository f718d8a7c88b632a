import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { linkPackages, root } from './library/consumer.ts';

const example = join(root, 'examples/testing');

/** A repository with the example, in which Attune and vitest are installed. */
async function repository() {
  const folder = await folderWith({ 'package.json': '{"type": "module"}' });
  await cp(example, folder, { recursive: true });
  linkPackages(folder, { attune: root, vitest: join(root, 'node_modules/vitest') });
  const run = () =>
    spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, NO_COLOR: '1' },
    });
  return { folder, run };
}

test('docs/guides/testing.md shows the example unchanged', async () => {
  const page = await readFile(join(root, 'docs/guides/testing.md'), 'utf8');
  const [, code] = /```ts\n(.*?)```/s.exec(page) ?? [];
  expect(code).toBe(await readFile(join(example, 'policies.test.ts'), 'utf8'));
});

test('the policies of examples/testing pass', async () => {
  const { run } = await repository();
  const { status, stdout, stderr } = run();
  expect([status, stdout], stderr).toEqual([0, expect.stringContaining('Tests  5 passed (5)')]);
});

test('a policy of examples/testing fails with the line that breaks it, and so does an unmanaged value', async () => {
  const { folder, run } = await repository();
  const file = join(folder, 'attune.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text
      .replace('billing-prod: {project: platform,', 'billing-prod: {auto-apply: true, project: platform,')
      .replace('    execution-mode: remote\n', ''),
  );
  const { status, stdout, stderr } = run();
  expect(status, stdout).toBe(1);
  expect(stdout + stderr).toContain('attune.yaml:18:18: expected true to be false // Object.is equality');
  expect(stdout + stderr).toContain(
    "attune.yaml:17:3: expected undefined to be 'remote' // Object.is equality",
  );
});
