import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Interrupts } from '../../src/cli/interrupts.ts';
import { attune, folderWith } from '../support/attune.ts';

const listening = new EventEmitter();

/** A signal that a test sends when it wants to. */
function stoppable(): { interrupts: Interrupts; stop: () => void } {
  const controller = new AbortController();
  const exitCode = () => (controller.signal.aborted ? 130 : undefined);
  return {
    interrupts: { stop: controller.signal, exitCode, release: () => {} },
    stop: () => controller.abort(),
  };
}

test('emulator says where it listens, serves its seed, logs each request, and ends with 130 on a signal', async () => {
  const cwd = await folderWith({
    'seed.yaml': 'organization: acme\nworkspaces: {app: {auto-apply: true}}\n',
  });
  const { interrupts, stop } = stoppable();
  let address = '';
  const served = attune(['emulator', '--seed', 'seed.yaml', '--log', 'requests.log', '--data', 'live.json'], {
    cwd,
    interrupts,
    onStdout: (text) => {
      address = /^LISTENING (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(text)?.[1] ?? '';
      listening.emit('address');
    },
  });
  await once(listening, 'address');
  const answer = await fetch(`${address}/api/v2/organizations/acme/workspaces/app`);
  expect(answer.status).toBe(200);
  stop();
  expect((await served).code).toBe(130);
  const log = (await readFile(join(cwd, 'requests.log'), 'utf8')).trim().split('\n');
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'GET', path: '/organizations/acme/workspaces/app', status: 200 },
  ]);
});

test('a seed that cannot be used is told with its place, and nothing listens', async () => {
  const cwd = await folderWith({ 'seed.yaml': 'organization: acme\nworkspaces: {app: {auto-aply: true}}\n' });
  const { code, stdout, stderr } = await attune(['emulator', '--seed', 'seed.yaml'], { cwd });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.replaceAll(cwd, '')).toMatchInlineSnapshot(`
    "error[bad-seed]: /seed.yaml:2:20: workspaces.app.auto-aply is not a known key
    "
  `);
});

test('a port that is taken is told', async () => {
  const cwd = await folderWith({});
  const { interrupts, stop } = stoppable();
  let port = '';
  const served = attune(['emulator'], {
    cwd,
    interrupts,
    onStdout: (text) => {
      port = /:(\d+)\n$/.exec(text)?.[1] ?? '';
      listening.emit('address');
    },
  });
  await once(listening, 'address');
  const second = await attune(['emulator', '--port', port], { cwd });
  expect(second.stderr.replace(port, 'PORT')).toBe('error[bad-option]: The port PORT is taken.\n');
  stop();
  await served;
});
