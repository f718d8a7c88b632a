import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { mutatingService } from '../support/mutating-service.ts';

/** A service with a workspace whose name the language does not accept. */
async function serviceWithOddName() {
  const emulator = await serviceWith({
    seed: { organization: 'acme', workspaces: { network: {}, web: {} } },
  });
  const service = await mutatingService(emulator.url);
  service.mutate = (text) => text.replaceAll('"name":"web"', '"name":"web app"');
  const cwd = await folderWith({});
  return (...argv: string[]) =>
    attune(['import', '--organization', 'acme', '--address', service.url, ...argv], {
      cwd,
      env: { ATTUNE_TOKEN: 'test-token' },
    });
}

const note =
  'note[left-out]: workspace.web app: the workspace is left out: its name has characters other than A-Z a-z 0-9 - _\n';

test('import counts a workspace that it leaves out and exits with 1', async () => {
  const run = await serviceWithOddName();
  const imported = await run();
  expect([imported.code, imported.stdout, imported.stderr]).toEqual([
    1,
    expect.stringMatching(
      /\nImported: 1 workspace and 0 grants in 2 files\. Left out: 1 workspace\.\nFrom now on, drift /,
    ),
    `${note}Next: attune plan\n`,
  ]);
});

test('import --update that adds nothing counts a workspace that it leaves out and exits with 1', async () => {
  const run = await serviceWithOddName();
  await run();
  const updated = await run('--update');
  expect([updated.code, updated.stdout, updated.stderr]).toEqual([
    1,
    expect.stringMatching(/\n\nNo declarations were added\. Left out: 1 workspace\.\n$/),
    `${note}Next: attune plan\n`,
  ]);
});

test('import --format json counts a workspace that it leaves out and exits with 1', async () => {
  const run = await serviceWithOddName();
  const imported = await run('--format', 'json');
  expect([imported.code, JSON.parse(imported.stdout).summary]).toEqual([
    1,
    { files: 2, workspaces: 1, grants: 0, leftOut: 1 },
  ]);
});

test('import of a part ignores a workspace outside that part', async () => {
  const run = await serviceWithOddName();
  const imported = await run('--name', 'network');
  expect([imported.code, imported.stdout]).toEqual([0, expect.not.stringContaining('Left out')]);
});
