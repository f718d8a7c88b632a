import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const path = '/organizations/acme/workspaces';
describe('the journal of a create that found a workspace of another user', () => {
  /** An apply during which another user creates the workspace. */
  async function applied() {
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
    return { cwd, service, run, ran, journal: join(cwd, 'run.ndjson') };
  }

  test('the journal records that another user created the workspace, and undo leaves it', async () => {
    const { service, run, ran, journal } = await applied();
    expect(ran.code).toBe(1);
    const outcome = (await readFile(journal, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .find(({ record }) => record === 'outcome');
    expect(outcome).toMatchObject({ result: 'failed', error: { notOurs: true } });
    const undone = await run(['undo', 'run.ndjson', '--yes']);
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining(' 0 calls.')]);
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('undo leaves a workspace and reports a conflict if the outcome of its create is unknown', async () => {
    const { cwd, service, run, journal } = await applied();
    const lines = (await readFile(journal, 'utf8'))
      .split('\n')
      .filter((line) => !/"outcome"|"end"/.test(line));
    await writeFile(join(cwd, 'cut.ndjson'), lines.join('\n'));
    const undone = await run(['undo', 'cut.ndjson', '--yes']);
    expect([undone.code, undone.stderr]).toEqual([
      1,
      expect.stringContaining(
        'workspace.app is not reverted: it is unknown whether the run created it, and description was "ours" and is "theirs"',
      ),
    ]);
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
