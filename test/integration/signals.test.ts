import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { folderWith, serviceWith } from '../support/attune.ts';
import { type AttuneProcess, startAttune } from './attune-process.ts';

const names = Array.from({ length: 20 }, (_, index) => `w-${index}`);
const yaml = `attune: 1\norganization: acme\nworkspaces: {${names.map((name) => `${name}: {}`).join(', ')}}\n`;
const seed = { organization: 'acme', workspaces: { first: {} } };

describe('signals during an apply', { timeout: 60_000 }, () => {
  test.each([
    [['SIGINT', 'SIGINT'], [130]],
    // On a busy machine, the second signal can arrive first.
    [
      ['SIGINT', 'SIGTERM'],
      [130, 143],
    ],
    [['SIGHUP'], [129]],
    [['SIGHUP', 'SIGHUP'], [129]],
  ] as const)('%s during an apply lets running calls finish and ends with %s', async (signals, exitCodes) => {
    const cwd = await folderWith({ 'attune.yaml': yaml });
    let running: AttuneProcess | undefined;
    const service = await serviceWith({
      seed,
      latency: 20,
      log: ({ method }) => {
        if (method !== 'POST') return;
        for (const signal of signals) running?.kill(signal);
        running = undefined;
      },
    });
    const applying = startAttune(['apply', '--yes', '--parallelism', '2', '--address', service.url], { cwd });
    running = applying;
    const { code, stdout } = await applying.ended;
    const created = service.requests.filter(
      ({ method, status }) => method === 'POST' && status === 201,
    ).length;
    expect(exitCodes).toContain(code);
    expect(stdout).toContain(
      `Applied: ${created} created, 0 updated, 0 deleted, 0 failed, ${20 - created} skipped.`,
    );
  });

  test('a second signal during an apply, more than a second later, prints what was written and ends with its own code', async () => {
    const cwd = await folderWith({ 'attune.yaml': yaml });
    let running: AttuneProcess | undefined;
    const service = await serviceWith({
      seed,
      // The second call and those after it never end by themselves.
      faults: [{ kind: 'hang', method: 'POST', path: '/organizations/acme/workspaces', times: 100, nth: 2 }],
      log: ({ method, status }) => {
        if (method === 'POST' && status !== 201) running?.kill('SIGINT');
      },
    });
    const command = ['apply', '--yes', '--parallelism', '1', '--timeout', '600', '--address', service.url];
    running = startAttune(command, { cwd });
    running.onStderr(async (text) => {
      if (!text.includes('Stopping')) return;
      await delay(1100);
      running?.kill('SIGHUP');
    });
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(129);
    expect(stdout).not.toContain('Applied');
    expect(stderr).toMatch(
      /acme: 1 of 20 calls confirmed by the service; calls that were running may have taken effect\n$/,
    );
  });

  test('a second signal during an apply of several organizations prints what was written to each, as their journals record it', async () => {
    const organizations = { acme: 1, 'acme-emea': 3 };
    const cwd = await folderWith(
      Object.fromEntries(
        Object.keys(organizations).map((name) => [
          `${name}/attune.yaml`,
          yaml.replace('organization: acme', `organization: ${name}`),
        ]),
      ),
    );
    let running: AttuneProcess | undefined;
    let hanging = 0;
    const service = await serviceWith({
      seed: {
        organizations: { acme: { workspaces: { first: {} } }, 'acme-emea': { workspaces: { first: {} } } },
      },
      // In each organization, so many calls are answered. The calls after them never end.
      faults: Object.entries(organizations).map(([name, answered]) => ({
        kind: 'hang' as const,
        method: 'POST',
        path: `/organizations/${name}/workspaces`,
        times: 100,
        nth: answered + 1,
      })),
      log: ({ method, status }) => {
        if (method !== 'POST' || status === 201) return;
        hanging += 1;
        if (hanging === 2) running?.kill('SIGTERM');
      },
    });
    const command = ['apply', ...Object.keys(organizations), '--yes', '--parallelism', '1'];
    running = startAttune([...command, '--timeout', '600', '--address', service.url], {
      cwd,
      // Organizations with separate tokens are written at the same time.
      env: { ATTUNE_TOKEN_ACME: 'token-1', ATTUNE_TOKEN_ACME_EMEA: 'token-2' },
    });
    running.onStderr(async (text) => {
      if (!text.includes('Stopping')) return;
      await delay(1100);
      running?.kill('SIGTERM');
    });
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(143);
    expect(stdout).not.toContain('Applied');
    expect(stderr).toMatch(
      /\nacme: 1 of 20 calls confirmed by the service; calls that were running may have taken effect\nacme-emea: 3 of 20 calls confirmed by the service; calls that were running may have taken effect\n$/,
    );
    for (const [name, answered] of Object.entries(organizations)) {
      const created = service.requests.filter(
        ({ method, path, status }) =>
          method === 'POST' && path === `/organizations/${name}/workspaces` && status === 201,
      );
      expect(created).toHaveLength(answered);
      const folder = join(cwd, name, '.attune', 'journal');
      const [journal = '', ...others] = await readdir(folder);
      const text = await readFile(join(folder, journal), 'utf8');
      const records = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { record: string; result?: string });
      const count = (wanted: string) => records.filter(({ record }) => record === wanted).length;
      // The call without an outcome is the one that was running.
      expect([others, count('call'), count('outcome'), count('end')]).toEqual([
        [],
        answered + 1,
        answered,
        0,
      ]);
      expect(records.every(({ result = 'done' }) => result === 'done')).toBe(true);
    }
  });
});

test('SIGHUP while a command only reads ends it at once with 129', async () => {
  const cwd = await folderWith({ 'attune.yaml': yaml });
  let running: AttuneProcess | undefined;
  const service = await serviceWith({
    faults: [{ kind: 'hang', times: 100 }],
    log: () => running?.kill('SIGHUP'),
  });
  running = startAttune(['plan', '--timeout', '600', '--address', service.url], { cwd });
  expect(await running.ended).toEqual({
    code: 129,
    stdout: '',
    stderr: 'error[interrupted]: the run was stopped by a signal\n',
  });
});

describe.skipIf(process.platform === 'win32')('only regular files are read', () => {
  test.each([
    ['show pipe', 'error[bad-plan-file]: pipe cannot be read: it is not a regular file\n  hint: '],
    ['undo pipe', 'error[bad-journal]: pipe cannot be read: it is not a regular file\n  hint: '],
    ['plan --snapshot pipe', 'error[bad-snapshot]: pipe cannot be read: it is not a regular file\n  hint: '],
    ['validate pipe', 'pipe:1:1: error[file-unreadable]: cannot read pipe: it is not a regular file\n'],
    [
      'validate /dev/zero',
      '/dev/zero:1:1: error[file-unreadable]: cannot read zero: it is not a regular file\n  hint: write its content to a file and name that file\n',
    ],
  ])(
    '%s ends at once with the reason if the file is not a regular file',
    { timeout: 60_000 },
    async (command, reason) => {
      const cwd = await folderWith({ 'attune.yaml': 'attune: 1\norganization: acme\n' });
      execFileSync('mkfifo', [join(cwd, 'pipe')]);
      const { code, stdout, stderr } = await startAttune(command.split(' '), { cwd }).ended;
      expect([code, `${stdout}${stderr}`.replaceAll(/(\.\.\/)+dev/g, '/dev')]).toEqual([
        1,
        expect.stringContaining(reason),
      ]);
    },
  );
});

/** Sends SIGHUP when the program begins to load the rest of itself. */
const hangUpEarly = `const Module = require('node:module');
const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === './core.js') {
    Module._load = load;
    process.kill(process.pid, 'SIGHUP');
    process.stderr.write('SIGHUP was sent');
  }
  return load.call(this, request, ...rest);
};
`;

test('SIGHUP does not end watch while its program is loaded', { timeout: 60_000 }, async () => {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': yaml, 'early.cjs': hangUpEarly });
  const flags = ['--once', '--address', service.url];
  const node = ['--require', join(cwd, 'early.cjs')];
  const { code, stderr } = await startAttune(['watch', ...flags], { cwd, node }).ended;
  expect(stderr).toContain('SIGHUP was sent');
  expect(stderr).toContain('"event":"cycle-finished","cycle":1,"result":"success"');
  expect(code).toBe(0);
});

test('SIGHUP starts a cycle of watch, and SIGTERM ends watch with 0', { timeout: 60_000 }, async () => {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': yaml });
  const flags = ['--listen', '127.0.0.1:0', '--address', service.url];
  const watching = startAttune(['watch', '--heal', 'update', ...flags], { cwd });
  let ended = 0;
  watching.onStderr((text) => {
    const cycles = text.split('"event":"cycle-finished"').length - 1;
    if (cycles === ended) return;
    ended = cycles;
    watching.kill(cycles === 1 ? 'SIGHUP' : 'SIGTERM');
  });
  const { code, stderr, stdout } = await watching.ended;
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const events = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.flatMap(({ event, reason }) => (event === 'cycle-started' ? [reason] : []))).toEqual([
    'start',
    'signal',
  ]);
  expect(events.slice(-2).map(({ event }) => event)).toEqual(['stopping', 'stopped']);
});

test.skipIf(process.platform === 'win32')(
  'SIGTERM to the shell in which npm starts watch ends watch',
  { timeout: 60_000 },
  async () => {
    const service = await serviceWith({ seed });
    const cwd = await folderWith({ 'attune.yaml': yaml });
    const flags = ['--listen', '127.0.0.1:0', '--address', service.url];
    const env = { npm_command: 'exec' };
    // The shell waits for the program instead of becoming it.
    const watching = startAttune(['watch', ...flags], { cwd, env, shell: '"$0" "$@"; exit' });
    watching.onStderr((text) => {
      if (text.includes('"event":"cycle-finished"')) watching.kill('SIGTERM');
    });
    const { stderr } = await watching.ended;
    expect(stderr).toContain('"event":"stopped"');
  },
);
