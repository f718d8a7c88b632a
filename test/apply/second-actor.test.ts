import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const root = (rest: string) => `attune: 1
organization: acme
projects: {one: prj-1}
teams: {sre: team-sre, dev: team-dev}
${rest}`;
const world = (files: Record<string, string>) =>
  worldWith(files, {
    seed: {
      projects: { One: 'prj-1' },
      teams: { sre: 'team-sre', dev: 'team-dev' },
      workspaces: { old: {}, both: { 'remote-state-consumers': ['old'] }, shared: { tags: ['a'] } },
    },
    // Their requests are answered in turns.
    latency: 2,
  });
const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`new-${index}`, { tags: ['t'] }]));

test('two concurrent applies of one configuration create everything once, report it correctly, and leave nothing to plan', async () => {
  const workspaces = JSON.stringify({
    ...many,
    both: { 'remote-state-consumers': ['new-1', 'new-2'] },
    old: { state: 'absent' },
  });
  const on = await world({
    'attune.yaml': root(`workspaces: ${workspaces}\nteam-access: {one: {sre: write, dev: read}}\n`),
  });
  const runs = await Promise.all(
    [0, 1].map(() => on.attune('apply', '--yes', '--format', 'json', '--max-deletes', '1')),
  );
  const created: string[] = [];
  for (const { code, stdout } of runs) {
    const { changes } = JSON.parse(stdout) as {
      changes: { address: string; action: string; result: string; error?: unknown }[];
    };
    expect(code).toBe(changes.every(({ result }) => result === 'done') ? 0 : 1);
    expect(changes.every(({ result, error }) => (result === 'done') === (error === undefined))).toBe(true);
    created.push(
      ...changes
        .filter(({ action, result }) => action === 'create' && result === 'done')
        .map(({ address }) => address),
    );
  }
  // Each was created by one of the two and by no other.
  expect(created.sort()).toEqual([...new Set(created)]);
  const rest = await on.attune('apply', '--yes', '--quiet');
  expect(rest.code, rest.stdout + rest.stderr).toBe(0);
  const { stdout } = await on.attune('plan');
  expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete');
  const live = await on.attune('snapshot');
  const { resources } = JSON.parse(live.stdout) as { resources: { address: string; kind: string }[] };
  expect(resources.filter(({ kind }) => kind === 'team-access')).toHaveLength(2);
  expect(resources.filter(({ address }) => address.startsWith('workspace.new-'))).toHaveLength(12);
});
