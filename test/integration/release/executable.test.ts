import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'attune-executable-'));
const work = join(folder, 'work');
let executable = '';

beforeAll(() => {
  const script = join(root, 'scripts', 'executable', 'main.mjs');
  const stdout = execFileSync(process.execPath, [script, folder], { encoding: 'utf8', stdio: 'pipe' });
  executable = stdout.trim().split('\n').at(-1) ?? '';
  cpSync(join(root, 'examples', 'quickstart'), work, {
    recursive: true,
    filter: (path) => !path.includes('.attune'),
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs it with nothing else on the path. */
function run(...argv: readonly string[]) {
  const env = { PATH: '', HOME: folder, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(executable, argv, { cwd: work, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('the single-file executable prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(run('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
});

test('the single-file executable validates, plans with a report, applies, and plans no change', () => {
  expect(run('validate')).toMatchObject({ status: 0, stdout: '' });
  expect(run('plan', '--detailed-exitcode', '--report', 'plan.html', '--out', 'plan.json')).toMatchObject({
    status: 2,
  });
  expect(readFileSync(join(work, 'plan.html'), 'utf8')).toContain('<style>');
  expect(run('apply', '--plan', 'plan.json', '--yes')).toMatchObject({ status: 0 });
  expect(run('plan', '--detailed-exitcode')).toMatchObject({ status: 0 });
  expect(run('undo', '--last', '--yes')).toMatchObject({ status: 0 });
});

test('the single-file executable checks policies, writes JUnit, accepts and runs a cycle of watch, which load further packages', () => {
  appendFileSync(
    join(work, 'attune.yaml'),
    '\npolicies:\n  - {id: tagged, on: workspace, require: \'workspace.name != ""\', message: no}\n',
  );
  expect(run('plan', '--report', 'plan.xml')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('1 policy: 1 met.'),
  });
  expect(readFileSync(join(work, 'plan.xml'), 'utf8')).toContain('<testsuite name="acme"');
  expect(run('accept', 'workspace.shop-staging', '--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('--- a/'),
  });
  expect(run('watch', '--once')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('"event":"cycle-finished","cycle":1,"result":"success"'),
  });
});

test('the single-file executable is built with the licences of Node and of the packages in it', () => {
  const notices = readFileSync(`${executable.replace(/\.exe$/, '')}-NOTICES.txt`, 'utf8');
  const titles = [...notices.matchAll(/^=+\n(.*)\n=+$/gm)].map(([, title = '']) => title.split(' ')[0]);
  const some = [
    'Node.js',
    '@marcbachmann/cel-js',
    'ajv',
    'commander',
    'diff',
    'fast-xml-builder',
    'undici',
    'yaml',
  ];
  expect(titles).toEqual(expect.arrayContaining(some));
});

test('the single-file executable contains the schemas, recipes and completion scripts that the program reads', () => {
  expect(run('init', 'new', '--yes', '--ci', 'github')).toMatchObject({ status: 0 });
  expect(run('completion', 'zsh').stdout).toBe(readFileSync(join(root, 'completions', 'attune.zsh'), 'utf8'));
  expect(run('show', 'plan.json')).toMatchObject({ status: 0 });
  expect(run('validate', 'missing.yaml')).toMatchObject({ status: 1 });
});
