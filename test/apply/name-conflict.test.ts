import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';

const path = '/organizations/acme/workspaces';

test('the journal records that another user created the workspace, and undo leaves it', async () => {
  const yaml = 'attune: 1\norganization: acme\nworkspaces: {app: {description: ours}}\n';
  const answer = async () => {
    await sendTo(world.service, 'POST', path, workspaceBody({ name: 'app', description: 'theirs' }));
    world.service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
    return 'yes';
  };
  const world: World = await worldWith(yaml, { seed: { workspaces: {} } }, { answer });
  expect((await world.attune('apply', '--journal', 'run.ndjson')).code).toBe(1);
  world.service.setFaults([]);
  expect(await readFile(join(world.folder, 'run.ndjson'), 'utf8')).toMatch(
    /"result":"failed".*"notOurs":true/,
  );
  const undone = await world.attune('undo', 'run.ndjson', '--yes');
  expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining(' 0 calls.')]);
  expect(world.writes()).toEqual([]);
});
