import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

/** Runs the built program in a separate process. */
const bin = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'bin.js');

interface Process {
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  kill(signal: NodeJS.Signals): void;
  /** Gets the text so far, each time there is more. */
  onStderr(listener: (text: string) => void): void;
}

function start(argv: readonly string[], cwd: string): Process {
  const env = { ...process.env, ATTUNE_TOKEN: 'test-token' };
  const child = spawn(process.execPath, [bin, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  return {
    ended,
    kill: (signal) => child.kill(signal),
    onStderr: (listener) => child.stderr.on('data', () => listener(stderr)),
  };
}

describe('the built program', () => {
  beforeAll(() => {
    if (!existsSync(bin))
      throw new Error('there is no build: say `npm run build`, or `npm test`, which does');
  });

  test('the built program prints its version', async () => {
    const { code, stdout } = await start(['--version'], '.').ended;
    expect([code, stdout]).toEqual([0, '0.1.0\n']);
  });

  test('the built program reports the same errors with the compiled schema as the sources without it', async () => {
    const cwd = await folderWith({
      'attune.yaml':
        'attune: 2\norganizaton: acme\nworkspaces:\n  a b: {auto-apply: yes, tags: 3}\nlimits: {deletes: -1}\n',
    });
    const built = await start(['validate'], cwd).ended;
    expect(built).toEqual(await attune(['validate'], { cwd }));
    expect(built.stdout.match(/error\[/g)).toHaveLength(7);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s during apply lets running calls finish, the report is true, exit %i, and a next run completes the apply',
    async (signal, exitCode) => {
      const names = Array.from({ length: 20 }, (_, index) => `  w-${index}: {}`);
      const cwd = await folderWith({
        'attune.yaml': `attune: 1\norganization: acme\nworkspaces:\n${names.join('\n')}\n`,
      });
      let running: Process | undefined;
      const service = await serviceWith({
        seed: { organization: 'acme', workspaces: { first: {} } },
        latency: 20,
        log: ({ method }) => {
          if (method !== 'POST') return;
          // Once: a second signal ends the process at once.
          running?.kill(signal);
          running = undefined;
        },
      });
      const applying = start(['apply', '--yes', '--parallelism', '2', '--address', service.url], cwd);
      running = applying;
      const { code, stdout, stderr } = await applying.ended;
      expect(code).toBe(exitCode);
      expect(stderr).toContain(
        'Stopping: running calls finish, and no new ones start. Send the signal again after a second to exit at once.\n',
      );
      const created = service.requests.filter(
        ({ method, status }) => method === 'POST' && status === 201,
      ).length;
      expect(created).toBeLessThan(20);
      expect(stdout).toContain(
        `Applied: ${created} created, 0 updated, 0 deleted, 0 failed, ${20 - created} skipped.`,
      );
      expect(stdout.match(/not attempted: the run was stopped/g)).toHaveLength(20 - created);

      const again = await start(['apply', '--yes', '--address', service.url], cwd).ended;
      expect(again.stdout).toContain(`Applied: ${20 - created} created`);
    },
  );

  test.each([
    ['SIGINT', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
  ] as const)(
    'a second signal during apply (%s, then %s) ends it at once, exit %i',
    async (first, second, exitCode) => {
      const cwd = await folderWith({
        'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {}}\n',
      });
      let running: Process | undefined;
      const service = await serviceWith({
        seed: { organization: 'acme', workspaces: { first: {} } },
        // What is under way never ends by itself.
        faults: [{ kind: 'hang', method: 'POST' }],
        log: ({ method }) => {
          if (method === 'POST') running?.kill(first);
        },
      });
      running = start(['apply', '--yes', '--timeout', '600', '--address', service.url], cwd);
      running.onStderr(async (text) => {
        if (!text.includes('Stopping')) return;
        // Signals within a second are one.
        await delay(1100);
        running?.kill(second);
      });
      const { code, stdout } = await running.ended;
      expect(code).toBe(exitCode);
      expect(stdout).not.toContain('Applied');
    },
  );

  test.each([
    ['plan', 'SIGINT', 130],
    ['apply --yes', 'SIGTERM', 143],
    ['drift', 'SIGINT', 130],
    ['workspace list', 'SIGTERM', 143],
  ] as const)('a signal while %s reads (%s) ends it at once, exit %i', async (command, signal, exitCode) => {
    const cwd = await folderWith({
      'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {}}\n',
    });
    let running: Process | undefined;
    const service = await serviceWith({
      faults: [{ kind: 'hang', times: 100 }],
      log: () => running?.kill(signal),
    });
    const stopped = (...format: string[]) => {
      running = start([...command.split(' '), ...format, '--timeout', '600', '--address', service.url], cwd);
      return running.ended;
    };
    const reported = { severity: 'error', code: 'interrupted', message: 'the run was stopped by a signal' };
    expect(await stopped()).toEqual({
      code: exitCode,
      stdout: '',
      stderr: `error[${reported.code}]: ${reported.message}\n`,
    });
    const { code, stdout } = await stopped('--format', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([
      exitCode,
      { format: 'attune.diagnostics/1', diagnostics: [reported] },
    ]);
  });

  const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;
  if (!hasTerminal)
    console.warn('Questions are not left with a key: there is no `script` to make a terminal.');

  test.skipIf(!hasTerminal).each([
    { key: 'Ctrl-D', typed: '\u0004', exitCode: 1 },
    { key: 'Ctrl-C', typed: '\u0003', exitCode: 130 },
  ])(
    'the answer $key to a question ends the run with $exitCode, and nothing is written',
    async ({ typed, exitCode }) => {
      const cwd = await folderWith({});
      const command = `"${process.execPath}" "${bin}" init`;
      const child = spawn('script', ['-qefc', command, '/dev/null'], {
        cwd,
        env: { ...process.env, NO_COLOR: '1' },
      });
      let shown = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (!shown.includes('Address') && (shown + text).includes('Address')) child.stdin.write(typed);
        shown += text;
      });
      const [code] = await once(child, 'close');
      expect(code, shown).toBe(exitCode);
      expect(shown).toContain('error[not-confirmed]: the confirmation was interrupted; no changes were made');
      expect(await readdir(cwd)).toEqual([]);
    },
  );
});
