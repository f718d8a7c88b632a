import { testConfiguration } from 'attune';
import { expect, test } from 'vitest';

const configuration = await testConfiguration('attune.yaml', { cwd: import.meta.dirname });

test.each(configuration.workspaces({ tag: 'prod' }))('$name is never applied automatically', (workspace) => {
  expect(workspace.attributes['auto-apply'], workspace.origins['auto-apply']).toBe(false);
});

test.each(configuration.workspaces({ name: '*-prod' }))(
  '$name is protected and runs remotely',
  (workspace) => {
    expect(workspace.protect, workspace.location).toBe(true);
    expect(workspace.attributes['execution-mode'], workspace.location).toBe('remote');
  },
);

test('the plan deletes nothing', async () => {
  const { summary } = await configuration.plan();
  expect(summary.delete).toBe(0);
});
