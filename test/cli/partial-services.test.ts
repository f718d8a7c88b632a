import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { partialService } from '../support/partial-service.ts';

test('undo asks a service without safe delete only until the first answer has shown that', async () => {
  const names = Array.from({ length: 4 }, (_, index) => `fresh-${index}: {}`);
  const root = `attune: 1\norganization: acme\nworkspaces: {${names.join(', ')}}\n`;
  const cwd = await folderWith({ 'attune.yaml': root });
  const service = await serviceWith({ organization: 'acme', dialect: 'terraform' });
  const requests: string[] = [];
  const address = await partialService(service.url, { unknown: [/safe-delete$/], requests });
  const run = (...argv: string[]) =>
    attune([...argv, '--address', address], { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
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
