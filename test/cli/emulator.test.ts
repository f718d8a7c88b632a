import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Interrupts } from '../../src/cli/io.ts';
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

test('emulator prints its address, serves its seed, logs each request, and ends with 130 on a signal', async () => {
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

test('emulator reports a port that is in use', async () => {
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
  expect(second.stderr.replaceAll(port, 'PORT')).toBe(
    'error[bad-option]: cannot listen on port PORT: listen EADDRINUSE: address already in use 127.0.0.1:PORT\n',
  );
  stop();
  await served;
});

/** What an emulator prints until it is stopped, with `PORT` instead of its port. */
async function printed(argv: readonly string[], seed = 'organization: acme\n') {
  const cwd = await folderWith({ 'seed.yaml': seed });
  const { interrupts, stop } = stoppable();
  const served = attune(['emulator', '--seed', 'seed.yaml', ...argv], {
    cwd,
    interrupts,
    onStdout: () => listening.emit('address'),
  });
  await once(listening, 'address');
  stop();
  const { stdout, stderr } = await served;
  const masked = (text: string) => text.replaceAll(/:\d+\b/g, ':PORT');
  return { stdout: masked(stdout), stderr: masked(stderr) };
}

test.each<[string, string[], string]>([
  ['the iac dialect', [], 'export ATTUNE_ADDRESS=http://127.0.0.1:PORT ATTUNE_TOKEN=any-token\n'],
  [
    'the terraform dialect',
    ['--dialect', 'terraform'],
    'export ATTUNE_ADDRESS=http://127.0.0.1:PORT ATTUNE_TOKEN=any-token\nexport TFE_ADDRESS=http://127.0.0.1:PORT TFE_TOKEN=any-token\n',
  ],
  ['--quiet', ['--quiet'], ''],
])('emulator prints the environment of clients on stderr with %s', async (_what, argv, stderr) => {
  expect(await printed(argv)).toEqual({ stdout: 'LISTENING http://127.0.0.1:PORT\n', stderr });
});

test('emulator prints no token of its seed', async () => {
  const seed = 'organization: acme\ntokens: {my-secret: {role: owner}}\n';
  expect((await printed([], seed)).stderr).toBe(
    'export ATTUNE_ADDRESS=http://127.0.0.1:PORT ATTUNE_TOKEN=TOKEN  # TOKEN: one of the tokens of the seed\n',
  );
});
