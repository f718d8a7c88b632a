import { testConfiguration } from 'attune';
import { expect, test } from 'vitest';

const configuration = await testConfiguration('attune.yaml', { cwd: import.meta.dirname });

test.each(configuration.workspaces({ tag: 'prod' }))('$name is never applied automatically', (workspace) => {
  expect(workspace.managed('auto-apply'), workspace.origin('auto-apply')).toBe(false);
});

test.each(configuration.workspaces({ name: '*-prod' }))(
  '$name is protected and runs remotely',
  (workspace) => {
    expect(workspace.protect, workspace.location).toBe(true);
    expect(workspace.managed('execution-mode'), workspace.origin('execution-mode')).toBe('remote');
  },
);

test('only sre has admin access', () => {
  const admins = configuration.grants().filter(({ access }) => access === 'admin');
  expect(admins.map(({ team }) => team)).toEqual(['sre']);
});

test('the plan deletes nothing', async () => {
  const { summary } = await configuration.plan();
  expect(summary.delete).toBe(0);
});
