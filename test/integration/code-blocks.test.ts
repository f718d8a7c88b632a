import { spawnSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { codeBlocksOf, pages, root } from '../support/pages.ts';
import { compile, programWith } from '../support/program-folder.ts';

/**
 * Their programs have own tests: test/integration/library/api-reference.test.ts, test/integration/constructs/guide.test.ts and
 * test/integration/walkthroughs.test.ts.
 */
const checkedElsewhere = /^docs\/(api\/|guides\/constructs\.md$)/;

const blocks = pages
  .filter((page) => !checkedElsewhere.test(page))
  .flatMap((page) => codeBlocksOf(page).map((block) => ({ ...block, title: `${page}:${block.line}` })));

test('the TypeScript of all pages compiles with the built package', async () => {
  const programs = blocks.filter(({ language }) => language === 'ts');
  expect(programs.length).toBeGreaterThan(2);
  const files = programs.map(({ title, text }) => [
    `${title.replaceAll(/\W/g, '-')}.ts`,
    `${text}\nexport {};\n`,
  ]);
  const options = { noEmit: true, skipLibCheck: true, types: ['node'], include: ['*.ts'] };
  const folder = await programWith(Object.fromEntries(files), options);
  for (const name of ['@types', 'vitest'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
  expect(compile(folder)).toBe('');
});

test.each(blocks.filter(({ language }) => language === 'js'))('$title is JavaScript', async ({ text }) => {
  const file = join(await folderWith({}), 'block.mjs');
  await writeFile(file, text);
  const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
