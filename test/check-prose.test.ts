import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '../scripts/check-prose/problems.mjs';
import { folderWith } from './support/attune.ts';

const script = join(import.meta.dirname, '..', 'scripts', 'check-prose', 'main.mjs');

test('the prose check prints the problems of the given files and exits with 1', async () => {
  const cwd = await folderWith({ 'docs/ci.md': 'Start it by hand.\n', 'src/a.ts': 'export {};\n' });
  const { status, stderr } = spawnSync(process.execPath, [script, 'docs', 'src/a.ts'], {
    cwd,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    'docs/ci.md:1:10: "by hand": write instead: manually\n1 phrases to replace\n',
  ]);
});

test('the prose check reports a phrase of a page with its place and what to write instead', () => {
  expect(problemsOf('docs/ci.md', '# CI\n\nStart it by\nhand.\n')).toEqual([
    'docs/ci.md:3:10: "by hand": write instead: manually',
  ]);
});

test.each([
  ['a message', "const message = 'the file says so';", '"says"'],
  ['a template', 'const message = `\u0024{name} is \u0024{of(`told`)} at once`;', '"told"'],
  ['a text after a nested template', 'const message = `\u0024{of(`a\u0024{1}`)} is told`;', '"told"'],
  ['a comment', '/** What no file\n * names, at last. */', '"What no file"'],
  ['a name', 'const isTold = true;', '"Told"'],
])('the prose check finds a phrase in %s of a source file', (_, line, found) => {
  expect(problemsOf('src/a.ts', `export {};\n${line}\n`).join('\n')).toContain(found);
});

test('the prose check finds a phrase in the title of a test and ignores the data of tests', () => {
  const title = "test('an error is told', () => {});\ntest.each(['said'])('%s is judged', () => {});\n";
  expect(problemsOf('test/a.test.ts', title).map((line) => line.split(': write')[0])).toEqual([
    'test/a.test.ts:1:19: "told"',
    'test/a.test.ts:2:28: "judged"',
  ]);
});

test('the prose check accepts plain English and names of the platform', () => {
  const source =
    "const half = Math.floor(n / 2); // '\nconst all = Promise.allSettled(['a law-abiding'.match(/told/)]);\n";
  expect(problemsOf('src/a.ts', source)).toEqual([]);
  expect(problemsOf('README.md', 'Attune reports drift. There is no limit.\n')).toEqual([]);
});
