import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

describe('an undo', () => {
  const moved = {
    ...seed,
    projects: { Web: 'prj-1', Other: 'prj-other' },
    workspaces: {
      app: { project: 'Other', 'execution-mode': 'agent', 'agent-pool-id': 'Other', 'ssh-key': 'Former' },
    },
  } as const;

  test.each([
    ['text', 'project: web -> Other'],
    ['json', '"after": "Other"'],
    ['markdown', 'move from `web` to `Other`'],
  ])(
    'shows the name of a project that no file names in %s, without another request',
    async (format, shown) => {
      const world = await worldWith(
        'attune: 1\norganization: acme\nprojects: {web: prj-1}\nworkspaces: {app: {project: web}}\n',
        { seed: moved },
      );
      expect((await world.attune('apply', '--yes')).code).toBe(0);
      const { code, stdout } = await world.attune('undo', '--last', '--yes', '--format', format);
      expect([code, stdout]).toEqual([0, expect.stringContaining(shown)]);
      expect(stdout.replace(/"id": "prj-other"/, '')).not.toContain('prj-other');
      expect(world.requests().filter((request) => request.includes('/projects'))).toHaveLength(1);
    },
  );

  test('shows the names that the plan of the run knew', async () => {
    const world = await worldWith(
      `attune: 1
organization: acme
projects: {web: {name: Web}}
workspaces: {app: {project: web, agent-pool-id: Onprem, ssh-key: Deploy}}
`,
      { seed: moved },
    );
    expect((await world.attune('apply', '--yes')).code).toBe(0);
    const { stdout } = await world.attune('undo', '--last', '--yes');
    for (const shown of [
      'project: web -> Other',
      'agent-pool-id: Onprem -> Other',
      'ssh-key: Deploy -> Former',
    ])
      expect(stdout).toContain(shown);
    expect(stdout).not.toMatch(/apool-|sshkey-|prj-/);
  });

  test('shows names in what it does not revert', async () => {
    const world = await worldWith(
      'attune: 1\norganization: acme\nprojects: {web: prj-1}\nworkspaces: {app: {project: web}}\n',
      { seed: { ...moved, projects: { ...moved.projects, Third: 'prj-3' } } },
    );
    expect((await world.attune('apply', '--yes')).code).toBe(0);
    await writeFile(
      join(world.folder, 'later.yaml'),
      'attune: 1\norganization: acme\nworkspaces: {app: {project: Third}}\n',
    );
    expect((await world.attune('apply', 'later.yaml', '--yes', '--no-journal')).code).toBe(0);
    const { stderr } = await world.attune('undo', '--last', '--yes');
    expect(stderr).toContain(
      'project of workspace.app is not reverted: the run set "web", but it is now "Third"',
    );
  });
});
