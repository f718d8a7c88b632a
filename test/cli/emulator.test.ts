import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, type Ran } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

/** An emulator that listens, with a signal that a test sends when it wants to. */
async function started(argv: readonly string[], seed = 'organization: acme\n') {
  const cwd = await folderWith({ 'seed.yaml': seed });
  const controller = new AbortController();
  const exitCode = () => (controller.signal.aborted ? 130 : undefined);
  let served: Promise<Ran> | undefined;
  const address = await new Promise<string>((resolve) => {
    served = attune(['emulator', '--seed', 'seed.yaml', ...argv], {
      cwd,
      interrupts: { stop: controller.signal, exitCode, release: () => {} },
      onStdout: (text) => resolve(/^LISTENING (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(text)?.[1] ?? ''),
    });
  });
  const stopped = async () => {
    controller.abort();
    return (await served) as Ran;
  };
  return { cwd, address, stopped };
}

test('emulator prints its address, serves its seed, logs each request, and ends with 130 on a signal', async () => {
  const seed = 'organization: acme\nworkspaces: {app: {auto-apply: true}}\n';
  const { cwd, address, stopped } = await started(['--log', 'requests.log', '--data', 'live.json'], seed);
  const answer = await fetch(`${address}/api/v2/organizations/acme/workspaces/app`);
  expect(answer.status).toBe(200);
  expect((await stopped()).code).toBe(130);
  const log = (await readFile(join(cwd, 'requests.log'), 'utf8')).trim().split('\n');
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'GET', path: '/organizations/acme/workspaces/app', status: 200 },
  ]);
});

test('emulator reports a port that is in use', async () => {
  const { cwd, address, stopped } = await started([]);
  const { port } = new URL(address);
  const second = await attune(['emulator', '--port', port], { cwd });
  expect(second.stderr.replaceAll(port, 'PORT')).toBe(
    'error[bad-option]: cannot listen on port PORT: listen EADDRINUSE: address already in use 127.0.0.1:PORT\n',
  );
  await stopped();
});

test.each(rowsIn<[string, string[], string, string?]>`
- [of the iac dialect, [], "export ATTUNE_ADDRESS=URL ATTUNE_TOKEN=any-token\n"]
- [of the terraform dialect, [--dialect, terraform], "export ATTUNE_ADDRESS=URL ATTUNE_TOKEN=any-token\nexport TFE_ADDRESS=URL TFE_TOKEN=any-token\n"]
- [with --quiet, [--quiet], '']
- [without a token of its seed, [], "export ATTUNE_ADDRESS=URL ATTUNE_TOKEN=TOKEN  # TOKEN: one of the tokens of the seed\n", "organization: acme\ntokens: {my-secret: {role: owner}}\n"]
`)('emulator prints the environment of clients on stderr: %s', async (_what, argv, expected, seed) => {
  const { address, stopped } = await started(argv, seed);
  const { stdout, stderr } = await stopped();
  expect([stdout, stderr.replaceAll(address, 'URL')]).toEqual([`LISTENING ${address}\n`, expected]);
});
