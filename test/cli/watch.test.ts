import { executionAsyncId } from 'node:async_hooks';
import { readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { declared, seed } from '../support/drifting-organization.ts';
import { listen } from '../support/servers.ts';
import { type LogLine, type Pause, simulateWatch } from '../support/simulate-watch.ts';

async function world(text: string = declared, options: Omit<EmulatorOptions, 'seed'> = {}) {
  const service = await serviceWith({ ...options, seed });
  const cwd = await folderWith({ 'attune.yaml': text });
  return {
    service,
    cwd,
    writes: () => service.requests.filter(({ method }) => method !== 'GET'),
    watch: (
      argv: readonly string[],
      between: (pause: Pause) => Promise<void> | void,
      onLine?: (line: LogLine, stop: () => void) => void,
    ) =>
      simulateWatch({ cwd, argv: ['--address', service.url, ...argv], between, ...(onLine && { onLine }) }),
  };
}

const changesOf = (lines: readonly LogLine[]) =>
  lines.flatMap(({ event, action, address, result }) =>
    event === 'change' ? [`${action} ${address} ${result}`] : [],
  );

test('watch --heal none reports the differences, in which no token is shown, and writes nothing', async () => {
  // The description of a workspace contains the token.
  const { watch, writes, cwd } = await world(declared.replace('new', 'test-token'), { rate: 1000 });
  const { lines, code, stdout } = await watch([], async ({ stop, metrics, get }) => {
    const samples = await metrics();
    const drift = (kind: string, action: string) =>
      samples.get(`attune_drift_changes{action="${action}",kind="${kind}",organization="acme"}`);
    const actions = ['create', 'update', 'delete'];
    expect(actions.map((action) => drift('workspace', action))).toEqual([1, 2, 1]);
    expect(actions.map((action) => drift('team-access', action))).toEqual([0, 1, 1]);
    expect(drift('project', 'create')).toBe(0);
    expect(samples.get('attune_cycles_total{organization="acme",result="success"}')).toBe(1);
    expect(samples.get('attune_rate_limit_remaining{organization="acme"}')).toBeGreaterThan(0);
    const page = await (await get('/')).text();
    expect(page).toContain('<h1>Drift</h1>');
    expect(page + (await (await get('/metrics')).text())).not.toContain('test-token');
    stop();
  });
  expect([writes(), changesOf(lines), code, stdout, await readdir(cwd)]).toEqual([
    [],
    [],
    0,
    '',
    ['attune.yaml'],
  ]);
});

test('a signal during an apply of watch finishes running calls, starts no others, and exits with 0', async () => {
  const { watch, cwd } = await world();
  const { code, lines } = await watch(
    ['--heal', 'update', '--parallelism', '1', '--verbose'],
    () => {},
    ({ event, method }, stop) => {
      if (event === 'request' && method !== 'GET') stop();
    },
  );
  expect(code).toBe(0);
  expect(changesOf(lines).filter((change) => change.endsWith('done'))).toHaveLength(1);
  const skipped = lines.filter(({ result }) => result === 'skipped');
  expect(skipped.map(({ level, error }) => [level, error])).toEqual([
    ['info', 'not attempted: the run was stopped'],
    ['info', 'not attempted: the run was stopped'],
    ['info', 'not attempted: the run was stopped'],
  ]);
  expect(
    lines
      .map(({ event }) => event)
      .filter((event) => event !== 'request')
      .slice(-1),
  ).toEqual(['stopped']);
  expect(await readdir(join(cwd, '.attune/journal'))).toHaveLength(1);
});

test('watch reports the address of a port that is in use', async () => {
  const port = await listen(createServer());
  const { cwd, service } = await world();
  const argv = ['watch', '--listen', `127.0.0.1:${port}`, '--address', service.url];
  const ran = await attune(argv, { cwd });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toBe(
    `error[not-listening]: cannot listen on 127.0.0.1:${port}: the port is in use\n  hint: stop the other process, or choose another address with --listen HOST:PORT\n`,
  );
});

test('SIGHUP and SIGTERM have handlers before watch loads anything or listens', async () => {
  const { cwd, service } = await world();
  const seen: string[] = [];
  const stopping = new AbortController();
  const { code } = await attune(['watch', '--listen', '127.0.0.1:0', '--address', service.url], {
    cwd,
    interrupts: { stop: stopping.signal, exitCode: () => 143, release: () => seen.push('released') },
    onHangup: (hangUp) => {
      seen.push('caught');
      hangUp();
      stopping.abort();
    },
    onStderr: (line) => seen.push(JSON.parse(line).event),
  });
  expect(code).toBe(0);
  expect(seen).toEqual(['caught', 'stopping', 'listening', 'stopped', 'released']);
  expect(service.requests).toEqual([]);
});

test('an ended watch has no effect on the speed of later promises', async () => {
  const { watch } = await world();
  const { code } = await watch([], ({ stop }) => stop());
  expect(code).toBe(0);
  await new Promise(setImmediate);
  // Node.js gives a promise a separate id only while something follows the promises of the process.
  const id = executionAsyncId();
  await undefined;
  expect(executionAsyncId()).toBe(id);
});

test('watch --once runs one cycle without a listener and exits with its result', async () => {
  const { cwd, service } = await world();
  const env = { ATTUNE_TOKEN: 'any' };
  const once = () => attune(['watch', '--once', '--heal', 'update', '--address', service.url], { cwd, env });
  const first = await once();
  expect(first.code).toBe(0);
  expect(first.stderr).not.toContain('listening');
  const update = { address: 'workspace.network', action: 'update', result: 'done' };
  expect(logged(first.stderr, 'change')).toContainEqual(expect.objectContaining(update));
  expect(logged(first.stderr, 'cycle-finished')).toMatchObject([{ cycle: 1, result: 'success' }]);
  await rm(join(cwd, 'attune.yaml'));
  const failed = await once();
  expect(failed.code).toBe(1);
  expect(logged(failed.stderr, 'diagnostic')).toMatchObject([
    { level: 'error', code: 'file-not-found', message: 'attune.yaml does not exist', file: 'attune.yaml' },
  ]);
});

/** The lines of a log with one event. */
function logged(stderr: string, event: string): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return lines.filter((line) => line.event === event);
}
