import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const seed = {
  projects: { Web: 'prj-1' },
  teams: { Sre: 'team-1', Devs: 'team-2' },
  'agent-pools': { Onprem: 'apool-1', Other: 'apool-2' },
  'ssh-keys': { Deploy: 'sshkey-1', Former: 'sshkey-2' },
  'team-access': { Web: { Sre: 'read', Devs: 'write' } },
  workspaces: {
    app: {
      project: 'Web',
      'execution-mode': 'agent',
      'agent-pool-id': 'Other',
      'ssh-key': 'Former',
      'remote-state-consumers': ['web', 'other', 'third'],
    },
    web: {},
    other: {},
    third: {},
  },
} as const;

test('a plan shows names of agent pools, SSH keys and pruned teams if the files contain names', async () => {
  const world = await worldWith(
    `attune: 1
organization: acme
projects: {web: {name: Web}}
teams: {sre: {name: Sre}}
prune: {team-access: true}
workspaces:
  app: {execution-mode: agent, agent-pool-id: Onprem, ssh-key: Deploy}
team-access: {web: {sre: read}}
`,
    { seed },
  );
  const { code, stdout } = await world.attune('plan', '--max-revokes', '5');
  expect(code).toBe(0);
  for (const shown of ['agent-pool-id: Other -> Onprem', 'ssh-key: Former -> Deploy', 'team-access.web/Devs'])
    expect(stdout).toContain(shown);
  expect(stdout).not.toMatch(/apool-|sshkey-|team-2|prj-1/);
});

test('an undo shows names of all consumers, also of those that the run did not change', async () => {
  const world = await worldWith(
    'attune: 1\norganization: acme\nworkspaces: {app: {remote-state-consumers: [web, other]}}\n',
    { seed },
  );
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const { stdout } = await world.attune('undo', '--last', '--yes', '--format', 'json');
  expect(JSON.stringify(JSON.parse(stdout).changes[0].fields)).not.toContain('ws-');
  expect(stdout).toContain('"third"');
});
