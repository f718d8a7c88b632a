import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folderWith, serviceWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';
import { startAttune } from './attune-process.ts';

const names = Array.from({ length: 20 }, (_, index) => `w-${index}`);
const yaml = `attune: 1\norganization: acme\nworkspaces: {${names.map((name) => `${name}: {}`).join(', ')}}\n`;

async function organization() {
  const cwd = await folderWith({ 'attune.yaml': yaml });
  const service = await serviceWith({ seed: { organization: 'acme', workspaces: { first: {} } } });
  return {
    cwd,
    read: (name: string) => readFile(join(cwd, name), 'utf8'),
    attune: (command: string, options: Partial<Parameters<typeof startAttune>[1]> = {}) =>
      startAttune([...command.split(' '), '--address', service.url], { cwd, ...options }).ended,
    created: () =>
      service.requests.filter(({ method, status }) => method === 'POST' && status === 201).length,
    plain: (text: string) => text.replaceAll(service.url, 'http://service'),
  };
}

describe('if the reader of an output goes away', { timeout: 60_000 }, () => {
  test.each([[['stdout']], [['stderr']], [['stdout', 'stderr']]] as const)(
    'apply whose reader ends makes all changes, writes report and journal, and exits with 0 (%s)',
    async (unread) => {
      const { attune, created, read } = await organization();
      const ran = await attune('apply --yes --verbose --report report.json --journal run.jsonl', { unread });
      expect([ran.code, created()]).toEqual([0, 20]);
      expect(ran.stderr).not.toContain('error');
      const report = JSON.parse(await read('report.json'));
      expect(report.changes.map(({ result }: { result: string }) => result)).toEqual(Array(20).fill('done'));
      expect(await read('run.jsonl')).toMatch(/\{"record":"end"\}\n$/);
    },
  );

  test.each([
    ['plan --out plan.json --detailed-exitcode', 2, 'plan.json'],
    ['drift --report drift.json', 2, 'drift.json'],
    ['plan missing.yaml', 1, undefined],
  ])('%s whose reader ends exits with %i, and its file is written', async (command, code, file) => {
    const { attune, read } = await organization();
    const ran = await attune(`${command} --verbose`, { unread: ['stdout', 'stderr'] });
    expect(ran.code).toBe(code);
    if (file !== undefined) expect(JSON.parse(await read(file)).changes).toHaveLength(20);
  });
});

const full = '/dev/full';

describe.skipIf(!existsSync(full))('if stdout cannot be written', { timeout: 60_000 }, () => {
  const intoFull = () => {
    const stdout = openSync(full, 'w');
    onTestFinished(() => closeSync(stdout));
    return { stdout };
  };
  const reason = `error[file-not-written]: stdout cannot be written: ENOSPC: no space left on device, write
  hint: free disk space or redirect stdout, then run again
`;

  test('apply lists each change with its outcome on stderr and exits with 1 if stdout cannot be written after it', async () => {
    const { attune, created } = await organization();
    const ran = await attune('apply --yes --format json', intoFull());
    expect(ran.code).toBe(1);
    expect(created()).toBe(20);
    const lines = [...names].sort().map((name) => `  + workspace.${name}\n`);
    // On a slow machine, there are lines of progress.
    expect(ran.stderr.replaceAll(/^acme: applying: .+\n/gm, '')).toBe(
      `Undo with: attune undo --last\n${reason}acme:\nCreated:\n${lines.join('')}\nApplied: 20 created, 0 updated, 0 deleted. 20 calls.\n`,
    );
  });

  test.each([
    'apply --yes',
    'plan',
    'plan --format json',
    'drift',
    'drift --format html',
    'workspace list --quiet',
  ])(
    '%s prints the reason on stderr and exits with 1 if stdout cannot be written, and writes nothing',
    async (command) => {
      const { attune, created } = await organization();
      const ran = await attune(command, intoFull());
      const nothing = command.startsWith('apply') ? 'No changes were made.\n' : '';
      expect([ran.code, ran.stderr, created()]).toEqual([1, `${reason}${nothing}`, 0]);
    },
  );

  test('a failing command prints its own error on stderr too if stdout cannot be written', async () => {
    const { attune } = await organization();
    const ran = await attune('plan missing.yaml --format json', intoFull());
    expect([ran.code, codesOnly(ran.stderr, 'file-not-found')]).toEqual([
      1,
      `missing.yaml:1:1: error[file-not-found]\n${reason}`,
    ]);
  });
});

// The limit of a file's size does not hold everywhere, and its unit is not the same everywhere.
describe.skipIf(process.platform !== 'linux')('on a disk that gets full', { timeout: 60_000 }, () => {
  test('a stdout that is a file on a full disk is an error', async () => {
    const { attune, cwd, read } = await organization();
    const stdout = openSync(join(cwd, 'stdout.json'), 'w');
    onTestFinished(() => closeSync(stdout));
    const ran = await attune('plan --format json', { stdout, shell: 'ulimit -f 2' });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(
      'error[file-not-written]: stdout cannot be written: EFBIG: file too large, write\n',
    );
    expect((await read('stdout.json')).length).toBeGreaterThan(0);
  });
});
