import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { globOf, includedFiles, matchGlob, matchPath } from '../../src/desired/files/includes.ts';
import { createSource, Origins } from '../../src/desired/files/source.ts';
import { createProblems } from '../../src/desired/problems.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { folderWith } from '../support/attune.ts';

const names = [
  'a.yaml',
  'b.yml',
  '.hidden.yaml',
  'x/a.yaml',
  'x/y/b.yaml',
  'x/y/z/c.yaml',
  '.dot/a.yaml',
  'star*.yaml',
];
const folder = () => folderWith(Object.fromEntries(names.map((name) => [name, ''])));

test.each([
  ['*.yaml', ['a.yaml', 'star*.yaml']],
  ['./*.y?ml', ['a.yaml', 'star*.yaml']],
  ['**/*.yaml', ['a.yaml', 'star*.yaml', 'x/a.yaml', 'x/y/b.yaml', 'x/y/z/c.yaml']],
  ['x/**', ['x/a.yaml', 'x/y/b.yaml', 'x/y/z/c.yaml']],
  ['x/**/z//*.yaml', ['x/y/z/c.yaml']],
  ['**/**/y/*', ['x/y/b.yaml']],
  ['.*.yaml', ['.hidden.yaml']],
  ['.dot/*', ['.dot/a.yaml']],
])('an include pattern matches the files that a shell would match: %s', async (pattern, files) => {
  const matches = await matchGlob(globOf(pattern), await folder());
  expect([...matches.files].sort()).toEqual(files);
});

test('a pattern with many wildcards takes time in proportion to its length', () => {
  const isWhole = (pattern: string, name: string) => matchPath(globOf(pattern), name).isWhole;
  expect(isWhole(`${'a*'.repeat(400)}b`, `${'a'.repeat(250)}c`)).toBe(false);
  expect(isWhole('*a*b*c', 'xxaxxabxxbxc')).toBe(true);
});

test('a pattern with many folder wildcards over deep folders walks them once', async () => {
  const deep = await folderWith({ [`${'a/'.repeat(60)}file.yaml`]: '' });
  expect(await matchGlob(globOf(`${'**/a/'.repeat(25)}*.yml`), deep)).toEqual({
    files: [],
    outside: [],
    unreadable: [],
  });
});

test('a folder that an include pattern reaches and that cannot be read is an error at the pattern', async () => {
  const text = 'include: ["x/**/*.yaml"]';
  const source = createSource('attune.yaml', text);
  const patterns = ['x/**/*.yaml'];
  const origins = new Origins();
  origins.set(patterns, { source, start: 9, offsets: [10] });
  const problems = createProblems();
  const here = await folder();
  await includedFiles(patterns, {
    root: join(here, 'a.yaml'),
    folder: here,
    origins,
    problems,
    readFolder: async (path) => {
      if (path === join(here, 'x/y')) throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
      return readdir(path, { withFileTypes: true });
    },
  });
  expect(renderDiagnostics(problems.diagnostics([source]))).toBe(`\
attune.yaml:1:11: error[file-unreadable]: cannot include "x/y": EACCES
  1 | include: ["x/**/*.yaml"]
    |           ^
  hint: correct or remove it, or limit include to regular files that can be read
`);
});

test('a walk of an include pattern follows links inside the folder, once, and reports named links that lead outside', async () => {
  const [here, elsewhere] = [await folder(), await folderWith({ 'a.yaml': '' })];
  await symlink(join(here, 'x'), join(here, 'linked'));
  await symlink(here, join(here, 'x', 'loop'));
  await symlink(elsewhere, join(here, 'out'));
  const found = async (pattern: string) => {
    const { files, outside } = await matchGlob(globOf(pattern), here);
    return { files: [...files].sort(), outside };
  };
  expect(await found('**/c.yaml')).toEqual({ files: ['linked/y/z/c.yaml', 'x/y/z/c.yaml'], outside: [] });
  expect(await found('out/*.yaml')).toEqual({ files: [], outside: ['out'] });
});
