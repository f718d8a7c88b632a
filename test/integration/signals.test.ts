import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { folderWith, serviceWith } from '../support/attune.ts';
import { type AttuneProcess, startAttune } from './attune-process.ts';

const names = Array.from({ length: 20 }, (_, index) => `w-${index}`);
const yaml = `attune: 1\norganization: acme\nworkspaces: {${names.map((name) => `${name}: {}`).join(', ')}}\n`;
const seedOfOne = { workspaces: { first: {} } };
const seed = { organization: 'acme', ...seedOfOne };

/** What a test starts and ends, from the moment that the service sees some request. */
interface Running {
  process?: AttuneProcess | undefined;
}

/** Sends another signal a second after the first, within which signals are one. */
function signalAgain(running: Running, signal: NodeJS.Signals): void {
  running.process?.onStderr(async (text) => {
    if (!text.includes('Stopping')) return;
    await delay(1100);
    running.process?.kill(signal);
  });
}

describe('signals during an apply', { timeout: 60_000 }, () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s during apply: running calls finish, the report is true, the exit code is %i, and a next run completes the apply',
    async (signal, exitCode) => {
      const cwd = await folderWith({ 'attune.yaml': yaml });
      const running: Running = {};
      const service = await serviceWith({
        seed,
        latency: 20,
        log: ({ method }) => {
          if (method !== 'POST') return;
          running.process?.kill(signal);
          delete running.process;
        },
      });
      const argv = ['apply', '--yes', '--parallelism', '2', '--address', service.url];
      const applying = startAttune(argv, { cwd });
      running.process = applying;
      const { code, stdout, stderr } = await applying.ended;
      expect(code).toBe(exitCode);
      expect(stderr).toContain(
        'Stopping: running calls finish, and no new ones start. Send the signal again after a second to exit at once.\n',
      );
      const answered = service.requests.filter(({ method, status }) => method === 'POST' && status === 201);
      const created = answered.length;
      expect(created).toBeLessThan(20);
      expect(stdout).toContain(
        `Applied: ${created} created, 0 updated, 0 deleted, 0 failed, ${20 - created} skipped.`,
      );
      expect(stdout).toMatch(/Skipped:\n(.*\n)+.*not attempted: the run was stopped/);
      const again = await startAttune(['apply', '--yes', '--address', service.url], { cwd }).ended;
      expect(again.stdout).toContain(`Applied: ${20 - created} created`);
    },
  );

  test.each([
    ['SIGINT', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
    ['SIGINT', 'SIGHUP', 129],
  ] as const)(
    'a second signal during apply (%s, then %s) prints what was written and ends it at once, exit %i',
    async (first, second, exitCode) => {
      const cwd = await folderWith({ 'attune.yaml': yaml });
      const running: Running = {};
      const service = await serviceWith({
        seed,
        // The second call and those after it never end by themselves.
        faults: [
          { kind: 'hang', method: 'POST', path: '/organizations/acme/workspaces', times: 100, nth: 2 },
        ],
        log: ({ method, status }) => {
          if (method === 'POST' && status !== 201) running.process?.kill(first);
        },
      });
      const command = ['apply', '--yes', '--parallelism', '1', '--timeout', '600', '--address', service.url];
      running.process = startAttune(command, { cwd });
      signalAgain(running, second);
      const { code, stdout, stderr } = await running.process.ended;
      expect(code).toBe(exitCode);
      expect(stdout).not.toContain('Applied');
      expect(stderr).toMatch(
        /acme: 1 of 20 calls confirmed by the service; calls that were running may have taken effect\n$/,
      );
    },
  );

  test('a second signal during an apply of several organizations prints what was written to each', async () => {
    const organizations = { acme: 1, 'acme-emea': 3 };
    const cwd = await folderWith({
      'acme/attune.yaml': yaml,
      'acme-emea/attune.yaml': yaml.replace('organization: acme', 'organization: acme-emea'),
    });
    const running: Running = {};
    let hanging = 0;
    const service = await serviceWith({
      seed: { organizations: { acme: seedOfOne, 'acme-emea': seedOfOne } },
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
        if (hanging === 2) running.process?.kill('SIGTERM');
      },
    });
    const command = ['apply', ...Object.keys(organizations), '--yes', '--parallelism', '1'];
    running.process = startAttune([...command, '--timeout', '600', '--address', service.url], {
      cwd,
      // Organizations with separate tokens are written at the same time.
      env: { ATTUNE_TOKEN_ACME: 'token-1', ATTUNE_TOKEN_ACME_EMEA: 'token-2' },
    });
    signalAgain(running, 'SIGTERM');
    const { code, stdout, stderr } = await running.process.ended;
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
    }
  });
});

test.each([
  ['plan', 'SIGINT', 130],
  ['apply --yes', 'SIGTERM', 143],
  ['drift', 'SIGINT', 130],
  ['workspace list', 'SIGTERM', 143],
  ['plan', 'SIGHUP', 129],
] as const)('a signal while %s reads (%s) ends it at once, exit %i', async (command, signal, exitCode) => {
  const cwd = await folderWith({ 'attune.yaml': yaml });
  const running: Running = {};
  const service = await serviceWith({
    faults: [{ kind: 'hang', times: 100 }],
    log: () => running.process?.kill(signal),
  });
  const stopped = (...format: string[]) => {
    const argv = [...command.split(' '), ...format, '--timeout', '600', '--address', service.url];
    running.process = startAttune(argv, { cwd });
    return running.process.ended;
  };
  const reported = { severity: 'error', code: 'interrupted', message: 'the run was stopped by a signal' };
  const stderr = `error[${reported.code}]: ${reported.message}\n`;
  expect(await stopped()).toEqual({ code: exitCode, stdout: '', stderr });
  const { code, stdout } = await stopped('--format', 'json');
  expect([code, JSON.parse(stdout)]).toEqual([
    exitCode,
    { format: 'attune.diagnostics/1', diagnostics: [reported] },
  ]);
});

test.skipIf(process.platform === 'win32').each([
  ['show pipe', 'error[bad-plan-file]: pipe cannot be read'],
  ['undo pipe', 'error[bad-journal]: pipe cannot be read'],
  ['plan --snapshot pipe', 'error[bad-snapshot]: pipe cannot be read'],
  ['validate pipe', 'pipe:1:1: error[file-unreadable]: cannot read pipe'],
  ['validate /dev/zero', '/dev/zero:1:1: error[file-unreadable]: cannot read zero'],
])(
  '%s ends at once with the reason if the file is not a regular file',
  { timeout: 60_000 },
  async (command, reason) => {
    const cwd = await folderWith({ 'attune.yaml': 'attune: 1\norganization: acme\n' });
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const { code, stdout, stderr } = await startAttune(command.split(' '), { cwd }).ended;
    expect([code, `${stdout}${stderr}`.replaceAll(/(\.\.\/)+dev/g, '/dev')]).toEqual([
      1,
      expect.stringContaining(`${reason}: it is not a regular file\n`),
    ]);
  },
);

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
