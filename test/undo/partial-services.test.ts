import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { type Differences, partialService } from '../support/partial-service.ts';
import { liveState } from './live-state.ts';

const head = 'attune: 1\norganization: acme\nlimits: {delete-percent: 100}\n';
const seed = {
  workspaces: { app: { 'execution-mode': 'local' }, other: { description: 'before' }, left: {} },
};

async function runsAgainst(differences: Differences, yaml: string) {
  const service = await serviceWith({ dialect: 'terraform', seed });
  const address = await partialService(service.url, differences);
  const cwd = await folderWith({ 'attune.yaml': head + yaml });
  return {
    service,
    state: () => liveState({ url: service.url, dialect: 'terraform' }),
    run: (...argv: string[]) =>
      attune([...argv, '--yes', '--quiet', '--address', address], {
        cwd,
        env: { ATTUNE_TOKEN: 'test-token' },
      }),
  };
}

test('undo reverts all other changes if the service does not offer what one of them needs', async () => {
  const { run, state } = await runsAgainst(
    { unknown: [/safe-delete$/] },
    'service: {without: [safe-delete]}\nworkspaces: {new: {}, other: {description: after}}\n',
  );
  expect((await run('apply', '--journal', 'run.jsonl')).code).toBe(0);
  const { code, stderr } = await run('undo', 'run.jsonl');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'warning[not-reverted]: workspace.new is not reverted: workspace.new cannot be deleted safely: this service does not offer safe delete\n',
    ),
  ]);
  expect(await state()).toMatchObject({ 'workspace.new': {}, 'workspace.other': { description: 'before' } });
  expect((await run('undo', 'run.jsonl', '--force')).code).toBe(0);
  expect(Object.keys(await state())).not.toContain('workspace.new');
});
