import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { type Differences, partialService } from '../support/partial-service.ts';

const seed = {
  projects: { Web: 'prj-1' },
  teams: { sre: 'team-1' },
  'agent-pools': { onprem: 'apool-1' },
  workspaces: { app: { project: 'prj-1' }, web: { id: 'ws-web', project: 'prj-1' } },
};
const head = 'attune: 1\norganization: acme\n';
const bare = {
  unknown: [/remote-state-consumers/, /^\w+ \/team-projects/, /safe-delete$/, /data-retention-policy/],
};

/** Runs commands against a service with these differences. */
async function runsAgainst(
  differences: Differences,
  files: Readonly<Record<string, string>> = {},
  options: EmulatorOptions = { seed, dialect: 'terraform' },
) {
  const cwd = await folderWith(files);
  const service = await serviceWith(options);
  const address = await partialService(service.url, differences);
  return {
    cwd,
    service,
    run: (...argv: string[]) =>
      attune([...argv, '--address', address], { cwd, env: { ATTUNE_TOKEN: 'test-token' } }),
  };
}

test('undo asks a service without safe delete only until the first answer has shown that', async () => {
  const names = Array.from({ length: 4 }, (_, index) => `fresh-${index}`);
  const workspaces = Object.fromEntries(names.map((name) => [name, {}]));
  const requests: string[] = [];
  const { run } = await runsAgainst(
    { ...bare, requests },
    { 'attune.yaml': `${head}workspaces: ${JSON.stringify(workspaces)}\n` },
  );
  expect((await run('apply', '--yes', '--journal', 'run.ndjson')).code).toBe(0);
  // The plan reads each of them.
  const planned = requests.length;
  await run('undo', 'run.ndjson', '--detailed-exitcode');
  const reads = requests.length - planned;
  requests.length = 0;
  const undone = await run('undo', 'run.ndjson', '--yes', '--parallelism', '1');
  expect([undone.code, undone.stdout]).toEqual([1, expect.stringContaining('0 deleted, 4 failed')]);
  expect(requests.filter((request) => request.endsWith('/actions/safe-delete'))).toHaveLength(1);
  // The first one is read again, with what its journal keeps.
  expect(requests.length).toBeLessThanOrEqual(reads + 6);
});
