import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { codesOnly } from '../support/codes-only.ts';
import { inFolder, loadFiles, rootText } from './load-files.ts';

const encode = (text: string) => new TextEncoder().encode(text);

async function printed(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  return renderDiagnostics((await loadFiles(files)).diagnostics);
}

test('a root file that does not exist is a diagnostic', async () => {
  await inFolder({ 'b/other.yaml': '' }, async (folder) => {
    const result = await loadConfig(['a.yaml', 'b'], { cwd: folder });
    expect(result.configurations).toEqual([]);
    expect(renderDiagnostics(result.diagnostics)).toBe(`\
a.yaml:1:1: error[file-not-found]: a.yaml does not exist
  hint: name a root file or a folder with an attune.yaml, or run \`attune init\`
attune.yaml:1:1: error[file-not-found]: attune.yaml does not exist
  hint: name a root file or a folder with an attune.yaml, or run \`attune init\`
`);
    expect(result.roots.map(({ file }) => file)).toEqual([
      join(folder, 'a.yaml'),
      join(folder, 'b/attune.yaml'),
    ]);
  });
});

test('a root file that is a link to itself is a diagnostic', async () => {
  await inFolder({}, async (folder) => {
    await symlink('attune.yaml', join(folder, 'attune.yaml'));
    expect(renderDiagnostics((await loadConfig(join(folder, 'attune.yaml'))).diagnostics)).toBe(
      'attune.yaml:1:1: error[file-unreadable]: cannot read attune.yaml: ELOOP\n',
    );
  });
});

test('a folder with the name of a root file is a diagnostic', async () => {
  expect(await printed({ 'attune.yaml/x.yaml': '' })).toBe(
    'attune.yaml:1:1: error[file-unreadable]: cannot read attune.yaml: it is a folder\n',
  );
});

test('a file over 16 MiB is not read, and one of 16 MiB is', async () => {
  const filled = (size: number) => new Uint8Array(size).fill(0xff);
  expect(await printed({ 'attune.yaml': filled(16 * 1024 * 1024) })).toContain('not UTF-8');
  expect(await printed({ 'attune.yaml': filled(16 * 1024 * 1024 + 1) })).toBe(`\
attune.yaml:1:1: error[file-too-large]: the file is larger than 16 MiB (17 MiB)
  hint: split it and name the parts under include
`);
});

test('a byte order mark and Windows line ends change nothing', async () => {
  const text = rootText('workspaces:\n  a: {auto-apply: true}\n  b: {auto-aply: 1}\n');
  const windows = encode(`\uFEFF${text.replaceAll('\n', '\r\n')}`);
  expect(await printed({ 'attune.yaml': windows })).toBe(await printed({ 'attune.yaml': text }));
});

test('aliases of billions of values are refused before they are expanded', async () => {
  const lines = ['x: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]'];
  for (let level = 1; level < 12; level++)
    lines.push(
      `x${level}: &x${level} [${Array(10)
        .fill(`*x${level - 1}`)
        .join(', ')}]`,
    );
  expect(await printed({ 'attune.yaml': rootText(lines.join('\n')) })).toBe(`\
attune.yaml:9:10: error[file-too-large]: the alias *x5 makes this file larger than 2000000 values
  9 | x6: &x6 [*x5, *x5, *x5, *x5, *x5, *x5, *x5, *x5, *x5, *x5]
    |          ^
  hint: replace anchors with templates
`);
});

test.each([
  ['lists in brackets', '['.repeat(100_000)],
  ['mappings in braces', '{a: '.repeat(100_000)],
  ['lists by dashes', '- '.repeat(100_000)],
  ['keys by question marks', '? '.repeat(100_000)],
  ['mappings by indentation', Array.from({ length: 500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('a file with too deeply nested %s is an error', async (_title, text) => {
  const found = await loadFiles({ 'attune.yaml': text });
  expect(found.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'file-too-large: the file has more than 100 levels of nesting',
  ]);
});

test('a chain of more than 100 templates is an error', async () => {
  const chain = (length: number) =>
    rootText(
      `templates:\n${Array.from({ length }, (_, index) => `  t${index}: {extends: t${index + 1}}\n`).join('')}  t${length}: {}\n`,
    );
  expect(await printed({ 'attune.yaml': chain(99) })).toBe('');
  expect(await printed({ 'attune.yaml': chain(150) })).toBe(`\
attune.yaml:103:3: error[file-too-large]: more than 100 templates extend one another
  103 |   t99: {extends: t100}
      |   ^
  hint: extend a list of templates instead of a chain
`);
});

test('more than 1,000 problems of a file are counted', async () => {
  const lines = Array.from({ length: 1100 }, (_, index) => `  w${index}: {auto-aply: true}`);
  const { diagnostics } = await loadFiles({ 'attune.yaml': rootText(`workspaces:\n${lines.join('\n')}\n`) });
  expect(diagnostics).toHaveLength(1001);
  expect(renderDiagnostics(diagnostics.slice(-1))).toBe(`\
attune.yaml:1003:10: error[more-problems]: 100 more problems in this file
`);
});

test('an error is shown beside any number of warnings', async () => {
  const lines = Array.from({ length: 1100 }, (_, index) => `  w${index}: {operations: true}`);
  const yaml = `workspaces:\n${lines.join('\n')}\n  x: {auto-aply: true}\n`;
  const { diagnostics } = await loadFiles({ 'attune.yaml': rootText(yaml) });
  expect(codesOnly(renderDiagnostics(diagnostics.slice(-2)), 'unknown-key')).toBe(`\
attune.yaml:1104:7: error[unknown-key]
  1104 |   x: {auto-aply: true}
       |       ^
attune.yaml:1104:7: note[more-problems]: 100 more problems in this file
`);
});

test('a broken quote at the beginning of a long file gives at most 20 problems', async () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `  w${index}: {description: "x"}`);
  const { diagnostics } = await loadFiles({
    'attune.yaml': rootText(`workspaces:\n  a: "\n${lines.join('\n')}\n`),
  });
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(diagnostics.length).toBeLessThanOrEqual(20);
});

test('included files are found once, in order, without the root file', async () => {
  const { configurations } = await loadFiles({
    'attune.yaml': rootText('include: ["**/*.yaml", ./b/x.yaml, "*.yaml"]\n'),
    'b/x.yaml': 'workspaces: {x: {}}',
    'a/y.yaml': 'workspaces: {y: {}}',
    'a.yaml': 'workspaces: {z: {}}',
  });
  const resources = [...(configurations[0]?.desired.resources.values() ?? [])];
  expect(resources.map(({ name, location }) => `${name} ${location?.file}`)).toEqual([
    'z a.yaml',
    'y a/y.yaml',
    'x b/x.yaml',
  ]);
});

test('include patterns do not leave the folder by a symbolic link, and may use one inside', async () => {
  const root = rootText('include: ["links/*.yaml"]\n');
  await inFolder({ 'org/attune.yaml': root, 'org/real.yaml': 'workspaces: {a: {}}' }, async (folder) => {
    await writeFile(join(folder, 'outside.yaml'), 'workspaces: {b: {}}');
    await mkdir(join(folder, 'org/links'));
    await symlink(join(folder, 'org/real.yaml'), join(folder, 'org/links/inside.yaml'));
    expect((await loadConfig(join(folder, 'org'))).configurations[0]?.desired.resources.size).toBe(1);
    await symlink(join(folder, 'outside.yaml'), join(folder, 'org/links/outside.yaml'));
    expect(renderDiagnostics((await loadConfig(join(folder, 'org'))).diagnostics)).toBe(`\
attune.yaml:3:11: error[path-outside]: "links/outside.yaml" is outside the folder of the root file
  3 | include: ["links/*.yaml"]
    |           ^
  hint: move the file into the folder, or make it a separate root file
`);
  });
});

test.skipIf(process.platform === 'win32')(
  'a link that leads to nothing and a named pipe that an include pattern matches are errors at the pattern',
  async () => {
    const root = rootText('include: [a.yaml, "more/*.yaml", "deep/**/*.yaml"]\n');
    await inFolder({ 'attune.yaml': root, 'more/c.yaml': 'workspaces: {c: {}}' }, async (folder) => {
      await mkdir(join(folder, 'deep'));
      await symlink(join(folder, 'nowhere'), join(folder, 'a.yaml'));
      await symlink('b.yaml', join(folder, 'more/b.yaml'));
      await symlink('../nowhere', join(folder, 'deep/folder'));
      await symlink('../../elsewhere', join(folder, 'deep/foreign'));
      execFileSync('mkfifo', [join(folder, 'more/d.yaml')]);
      const { configurations, diagnostics } = await loadConfig(folder);
      expect(configurations).toEqual([]);
      expect(renderDiagnostics(diagnostics)).toBe(`\
attune.yaml:3:11: error[file-unreadable]: cannot include "a.yaml": it is a link that leads to nothing
  3 | include: [a.yaml, "more/*.yaml", "deep/**/*.yaml"]
    |           ^
  hint: correct or remove it, or limit include to regular files that can be read
attune.yaml:3:19: error[file-unreadable]: cannot include "more/b.yaml": ELOOP
  3 | include: [a.yaml, "more/*.yaml", "deep/**/*.yaml"]
    |                   ^
  hint: correct or remove it, or limit include to regular files that can be read
attune.yaml:3:19: error[file-unreadable]: cannot include "more/d.yaml": it is not a regular file
  3 | include: [a.yaml, "more/*.yaml", "deep/**/*.yaml"]
    |                   ^
  hint: correct or remove it, or limit include to regular files that can be read
attune.yaml:3:34: error[file-unreadable]: cannot include "deep/folder": it is a link that leads to nothing
  3 | include: [a.yaml, "more/*.yaml", "deep/**/*.yaml"]
    |                                  ^
  hint: correct or remove it, or limit include to regular files that can be read
`);
    });
  },
);
