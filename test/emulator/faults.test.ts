import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EmulatorError, type Fault, startEmulator } from '../../src/emulator/index.ts';
import { createRequestLog } from '../../src/emulator/server.ts';
import { workspaceBody } from '../support/ask.ts';
import { folderWith } from '../support/attune.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';
const seed = { workspaces: { a: {}, b: {} } };

const withFault = (...faults: Fault[]) => serve({ seed, faults });

it.each([
  ['cut-before', 'cuts the connection before the request takes effect', 'fetch failed', 404],
  ['cut-after', 'cuts the connection after the request took effect', 'fetch failed', 200],
  ['half-body', 'takes effect and sends half of the answer', 'terminated', 200],
] as const)('the fault %s %s', async (kind, _what, error, after) => {
  const { ask, emulator } = await withFault({ kind, method: 'POST', times: 1 });
  await expect(ask('POST', list, workspaceBody({ name: 'new' }))).rejects.toThrow(error);
  expect((await ask('GET', `${list}/new`)).status).toBe(after);
  if (kind === 'cut-before') expect(emulator.requests[0]?.status).toBe(0);
});

it('the fault html answers with the page of a proxy', async () => {
  const { emulator } = await withFault({ kind: 'html', times: 1 });
  const response = await fetch(`${emulator.url}/api/v2${list}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([502, 'text/html']);
  expect(await response.text()).toContain('<html>');
});

it('the fault hang never answers, and stop of the emulator ends the request', async () => {
  const { ask, emulator } = await withFault({ kind: 'hang', path: list });
  const hanging = expect(ask('GET', list)).rejects.toThrow();
  await expect.poll(() => emulator.requests.length).toBe(1);
  await emulator.stop();
  await hanging;
});

it('a write with the fault latency takes effect before its answer is sent', async () => {
  const { ask, emulator } = await withFault({ kind: 'latency', method: 'POST', ms: 60_000 });
  const unanswered = expect(ask('POST', list, workspaceBody({ name: 'new' }))).rejects.toThrow();
  await expect.poll(async () => (await ask('GET', `${list}/new`)).status).toBe(200);
  expect(emulator.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  await emulator.stop();
  await unanswered;
});

it('a request with the fault latency is answered after the delay', async () => {
  const { ask } = await withFault({ kind: 'latency', ms: 1, times: 1 });
  expect((await ask('GET', list)).status).toBe(200);
});

it('setFaults replaces the faults of a running emulator', async () => {
  const { ask, emulator } = await withFault({ kind: 'status' });
  emulator.setFaults([]);
  expect((await ask('GET', list)).status).toBe(200);
});

it('the emulator reads faults from YAML, with or without a key above the list', async () => {
  const file = join(await folderWith({}), 'faults.yaml');
  for (const text of ['- {kind: status, status: 418}\n', 'faults:\n  - {kind: status, status: 418}\n']) {
    await writeFile(file, text);
    const { ask } = await serve({ seed, faults: file });
    expect((await ask('GET', list)).status).toBe(418);
  }
});

it.each([
  ['- {kind: status, statsu: 1}', 'faults.0.statsu is not a known key'],
  ['- {kind: status, status: "500"}', 'faults.0.status must be a number'],
  ['{', 'faults.yaml: '],
  ['7', 'faults must be a list'],
])('the fault file %s is an error with its location', async (text, message) => {
  const file = join(await folderWith({ 'faults.yaml': text }), 'faults.yaml');
  await expect(startEmulator({ faults: file })).rejects.toThrow(EmulatorError);
  await expect(startEmulator({ faults: file })).rejects.toThrow(message);
});

it('the option log of the emulator writes each request as a line of JSON', async () => {
  const log = join(await folderWith({}), 'requests.log');
  const { ask, emulator } = await serve({ seed, log });
  await ask('GET', `${list}/a`);
  await ask('PATCH', `${list}/a`, workspaceBody({}));
  await emulator.stop();
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(emulator.requests);
  expect(lines).toHaveLength(2);
});

it('the emulator keeps the last 100,000 requests at least, and not much more', () => {
  const log = createRequestLog(undefined);
  for (let index = 0; index < 400_000; index++) log.add({ method: 'GET', path: `/${index}`, status: 200 });
  expect(log.entries.length).toBeGreaterThanOrEqual(100_000);
  expect(log.entries.length).toBeLessThanOrEqual(150_000);
  expect(log.entries.at(-1)?.path).toBe('/399999');
  expect(log.entries.at(-100_000)?.path).toBe('/300000');
});
