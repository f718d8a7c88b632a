import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const path = '/organizations/acme/workspaces';

test('the journal records that another user created the workspace, and undo leaves it', async () => {
  const cwd = await folderWith({
    'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {description: ours}}\n',
  });
  const service = await serviceWith({ seed: { organization: 'acme', workspaces: {} } });
  const run = (argv: readonly string[], answer?: () => Promise<string>) =>
    attune([...argv, '--quiet', '--address', service.url], {
      cwd,
      env: { ATTUNE_TOKEN: 'test-token' },
      ...(answer && { answer }),
    });
  const ran = await run(['apply', '--journal', 'run.ndjson'], async () => {
    await sendTo(service, 'POST', path, workspaceBody({ name: 'app', description: 'theirs' }));
    service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
    return 'yes';
  });
  service.setFaults([]);
  service.clearRequests();
  expect(ran.code).toBe(1);
  expect(await readFile(join(cwd, 'run.ndjson'), 'utf8')).toMatch(/"result":"failed".*"notOurs":true/);
  const undone = await run(['undo', 'run.ndjson', '--yes']);
  expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining(' 0 calls.')]);
  expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});
