import { lstat, mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {network: {auto-apply: true}}\n';
const seed = { organization: 'acme', workspaces: { network: {} } };
/** Root writes everywhere, and Windows ignores the mode of a folder. */
const writesEverywhere = process.platform === 'win32' || process.getuid?.() === 0;

// Nothing keeps root from writing.
test.skipIf(writesEverywhere).each([
  [['plan', '--report', 'closed/report.md'], 'the folder <folder>/closed is not writable'],
  [['plan', '--out', 'closed/out.json'], 'may not be written to'],
  [['snapshot', '--out', 'closed/out.json'], 'may not be written to'],
])('%j sends no request, because the folder is read-only', async (argv, why) => {
  const { attune, folder, requests } = await worldWith({ 'attune.yaml': yaml }, { seed });
  await mkdir(join(folder, 'closed'), { mode: 0o555 });
  const { code, stderr } = await attune(...argv);
  expect([code, requests()]).toEqual([1, []]);
  expect(stderr.replaceAll(folder, '<folder>')).toContain(why);
});

test('a written report is readable by its owner only, and replaces a link without following it', async () => {
  const elsewhere = await folderWith({ 'target.md': 'untouched' });
  const { attune, folder } = await worldWith({ 'attune.yaml': yaml, 'real/.keep': '' }, { seed });
  await symlink(join(folder, 'real'), join(folder, 'inside'));
  await symlink(join(elsewhere, 'target.md'), join(folder, 'inside/plan.md'));
  const written = ['inside/plan.json', 'inside/plan.md', join(elsewhere, 'plan.html')];
  const [out = '', ...reports] = written;
  const { code } = await attune('plan', '--out', out, ...reports.flatMap((name) => ['--report', name]));
  expect(code).toBe(0);
  for (const name of written) {
    const file = await lstat(resolve(folder, name));
    expect([name, file.isFile()]).toEqual([name, true]);
    await expectMode(resolve(folder, name), 0o600);
  }
  expect(await readFile(join(elsewhere, 'target.md'), 'utf8')).toBe('untouched');
});
