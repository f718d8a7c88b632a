import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, worldWith } from '../../support/attune.ts';
import { mutatingService } from '../../support/mutating-service.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {fresh: {lock: true}}\n';
const seed = { organization: 'acme', workspaces: { vault: { id: 'ws-vault' } } };

/** Applies a create over a service that answers it without a document, with a journal. */
async function created(answer = '') {
  const world = await worldWith(yaml, { seed });
  const silent = await mutatingService(world.service.url);
  silent.mutate = (text, index) =>
    /^POST .*\/organizations\/acme\/workspaces$/.test(silent.requests[index] ?? '') ? answer : text;
  const run = (...argv: string[]) =>
    attune([...argv, '--address', silent.url], { cwd: world.folder, env: { ATTUNE_TOKEN: 'test-token' } });
  const applied = await run('apply', '--yes', '--journal', 'run.jsonl');
  const journal = join(world.folder, 'run.jsonl');
  return { world, run, applied, journal };
}

test.each(['', '{}', '{"data": null}'])(
  'the journal has the id of a workspace whose create was answered with %j',
  async (answer) => {
    const { run, applied, journal } = await created(answer);
    expect(applied.code, applied.stdout + applied.stderr).toBe(0);
    const records = (await readFile(journal, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const lock = records.find(({ operation }) => operation === 'lockWorkspace');
    const [, id] = /^\/workspaces\/([^/]+)\/actions\/lock$/.exec(lock.path) ?? [];
    expect(records.find(({ record }) => record === 'outcome')).toMatchObject({ result: 'done', id });
    expect((await run('undo', 'run.jsonl', '--yes')).stdout).toContain('- workspace.fresh');
  },
);

test('a journal without the id of a created workspace is refused if a later call goes to any workspace', async () => {
  const { world, run, journal } = await created();
  const text = await readFile(journal, 'utf8');
  const forged = text
    .replace(/"id":"ws-\w+"/, '"id":null')
    .replace(',"id":null', '')
    .replace(/\/workspaces\/ws-\w+\/actions\/lock/, '/workspaces/ws-vault/actions/lock');
  await writeFile(journal, forged);
  world.service.clearRequests();
  const { code, stderr } = await run('undo', 'run.jsonl', '--yes');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('POST /workspaces/ws-vault/actions/lock goes to another object'),
  ]);
  expect(world.requests()).toEqual([]);
});
