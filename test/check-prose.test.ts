import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from './support/attune.ts';

const script = join(import.meta.dirname, '..', 'scripts', 'check-prose', 'main.mjs');

async function check(
  files: Readonly<Record<string, string>>,
): Promise<{ code: number | null; found: string[] }> {
  const run = spawnSync(process.execPath, [script, ...Object.keys(files)], {
    cwd: await folderWith(files),
    encoding: 'utf8',
  });
  return { code: run.status, found: run.stderr.split('\n').filter((line) => /:\d+:\d+: /.test(line)) };
}

test('the prose check reports a phrase of a page with its place and what to write instead', async () => {
  expect(await check({ 'docs/ci.md': '# CI\n\nStart it by\nhand.\n' })).toEqual({
    code: 1,
    found: ['docs/ci.md:3:10: "by hand": write instead: manually'],
  });
});

test.each([
  { part: 'a message', line: "const message = 'the file says so';", found: '"says"' },
  {
    part: 'a template',
    line: 'const message = `\u0024{name} is \u0024{of(`told`)} at once`;',
    found: '"told"',
  },
  {
    part: 'a text after a nested template',
    line: 'const message = `\u0024{of(`a\u0024{1}`)} is told`;',
    found: '"told"',
  },
  { part: 'a comment', line: '/** What no file\n * names, at last. */', found: '"What no file"' },
  { part: 'a name', line: 'const isTold = true;', found: '"Told"' },
])('the prose check finds a phrase in $part of a source file', async ({ line, found }) => {
  const result = await check({ 'src/a.ts': `export {};\n${line}\n` });
  expect(result.code).toBe(1);
  expect(result.found.join('\n')).toContain(found);
});

test('the prose check finds a phrase in the title of a test and ignores the data of tests', async () => {
  const title = "test('an error is told', () => {});\ntest.each(['said'])('%s is judged', () => {});\n";
  const { found } = await check({ 'test/a.test.ts': title });
  expect(found.map((line) => line.split(': write')[0])).toEqual([
    'test/a.test.ts:1:19: "told"',
    'test/a.test.ts:2:28: "judged"',
  ]);
});

test('the prose check accepts plain English and names of the platform', async () => {
  const source =
    "const half = Math.floor(n / 2); // '\nconst all = Promise.allSettled(['a law-abiding'.match(/told/)]);\n";
  expect(
    await check({ 'src/a.ts': source, 'README.md': 'Attune reports drift. There is no limit.\n' }),
  ).toEqual({
    code: 0,
    found: [],
  });
});
