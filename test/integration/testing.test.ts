import { spawnSync } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { root } from '../support/pages.ts';
import { linkPackages } from '../support/program-folder.ts';

const example = join(root, 'examples/testing');

test('docs/guides/testing.md shows the example unchanged', async () => {
  const page = await readFile(join(root, 'docs/guides/testing.md'), 'utf8');
  const [, code] = /```ts\n(.*?)```/s.exec(page) ?? [];
  expect(code).toBe(await readFile(join(example, 'policies.test.ts'), 'utf8'));
});

test('the policies of examples/testing pass, and fail with the line that breaks one or leaves a value unmanaged', async () => {
  const folder = await folderWith({ 'package.json': '{"type": "module"}' });
  for (const name of ['kept', 'broken']) await cp(example, join(folder, name), { recursive: true });
  const file = join(folder, 'broken', 'attune.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text
      .replace('billing-prod: {project: platform,', 'billing-prod: {auto-apply: true, project: platform,')
      .replace('    execution-mode: remote\n', ''),
  );
  linkPackages(folder, { attune: root, vitest: join(root, 'node_modules/vitest') });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
  });
  expect(status, stdout).toBe(1);
  expect(stdout).toContain('✓ kept/policies.test.ts (5 tests)');
  expect(stdout + stderr).toContain('attune.yaml:18:18: expected true to be false // Object.is equality');
  expect(stdout + stderr).toContain(
    "attune.yaml:17:3: expected undefined to be 'remote' // Object.is equality",
  );
});
