import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendTo } from '../support/ask.ts';
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
    ['markdown', 'move from web to Other'],
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
      'project of workspace.app is not reverted: the run left it "web", but it is now "Third"',
    );
  });

  describe('of a move from a project without an alias', () => {
    const projects = { payments: 'prj-1', core: 'prj-2', unused: 'prj-3' };
    const files = (declared = '') =>
      `attune: 1\norganization: acme\n${declared}workspaces: {web: {project: core}}\n`;
    const renamed = async (declared?: string) => {
      const world = await worldWith(files(declared), {
        dialect: 'terraform',
        seed: { projects, workspaces: { web: { project: 'payments' } } },
      });
      expect((await world.attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
      const patch = { data: { type: 'projects', id: 'prj-1', attributes: { name: 'payments-old' } } };
      await sendTo(world.service, 'PATCH', '/projects/prj-1', patch);
      const create = { data: { type: 'projects', attributes: { name: 'payments' } } };
      await sendTo(world.service, 'POST', '/organizations/acme/projects', create);
      return world;
    };

    test('journals and saves only names of the projects that it replaces or writes', async () => {
      const world = await worldWith(files(), {
        seed: { projects, workspaces: { web: { project: 'payments' } } },
      });
      expect((await world.attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
      expect((await world.attune('undo', 'run.jsonl', '--out', 'undo.json')).code).toBe(0);
      const saved = await readFile(join(world.folder, 'undo.json'), 'utf8');
      expect(JSON.parse(saved).overview.ids.projects).toEqual({ core: 'prj-2', payments: 'prj-1' });
      expect((await world.attune('undo', 'run.jsonl', '--yes', '--journal', 'undo.jsonl')).code).toBe(0);
      const [header = ''] = (await readFile(join(world.folder, 'undo.jsonl'), 'utf8')).split('\n');
      expect(JSON.parse(header).aliases.projects).toEqual({ core: 'prj-2', payments: 'prj-1' });
    });

    test('shows the present name of a project instead of the one in the journal', async () => {
      const world = await renamed();
      const { stdout } = await world.attune('undo', 'run.jsonl', '--yes');
      expect(stdout).toContain('project: core -> payments-old');
    });

    test.each([
      ['projects: {payments: prj-1}\n', 'payments'],
      ['projects: {payments: {name: payments}}\n', 'payments-old'],
    ])('shows an alias of %j only for the project that it is declared for', async (declared, shown) => {
      const world = await renamed(declared);
      const { stdout } = await world.attune('undo', 'run.jsonl', '--yes');
      expect(stdout).toContain(`project: core -> ${shown}\n`);
    });

    test('never shows two projects with one name in what it does not revert', async () => {
      const world = await worldWith(
        'attune: 1\norganization: acme\nprojects: {payments: prj-2}\nworkspaces: {web: {project: payments}}\n',
        { seed: { projects: { ...projects }, workspaces: { web: { project: 'unused' } } } },
      );
      expect((await world.attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
      await writeFile(
        join(world.folder, 'later.yaml'),
        'attune: 1\norganization: acme\nworkspaces: {web: {project: prj-1}}\n',
      );
      expect((await world.attune('apply', 'later.yaml', '--yes', '--no-journal')).code).toBe(0);
      const { stderr } = await world.attune('undo', 'run.jsonl', '--yes');
      expect(stderr).toContain('the run left it "payments", but it is now "prj-1"');
    });
  });
});
