import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import { sendTo } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';

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
const root = 'attune: 1\norganization: acme\n';

/** A world in which files are applied, and a later root file after them. */
async function applied(files: string, given: object = seed, later?: string): Promise<World> {
  const { dialect, ...own } = { dialect: 'iac' as Dialect, ...given };
  const world = await worldWith(root + files, { seed: own, dialect });
  expect((await world.attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
  if (later === undefined) return world;
  await writeFile(join(world.folder, 'later.yaml'), root + later);
  expect((await world.attune('apply', 'later.yaml', '--yes', '--no-journal')).code).toBe(0);
  return world;
}

test('a plan shows names of agent pools, SSH keys and pruned teams if the files contain names', async () => {
  const world = await worldWith(
    `${root}projects: {web: {name: Web}}
teams: {sre: {name: Sre}}
prune: {team-access: true}
workspaces: {app: {execution-mode: agent, agent-pool-id: Onprem, ssh-key: Deploy}}
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
  const world = await applied('workspaces: {app: {remote-state-consumers: [web, other]}}\n');
  const { stdout } = await world.attune('undo', 'run.jsonl', '--yes', '--format', 'json');
  expect(JSON.stringify(JSON.parse(stdout).changes[0].fields)).not.toContain('ws-');
  expect(stdout).toContain('"third"');
});

const moved = {
  ...seed,
  projects: { Web: 'prj-1', Other: 'prj-other', Third: 'prj-3' },
  workspaces: {
    app: { project: 'Other', 'execution-mode': 'agent', 'agent-pool-id': 'Other', 'ssh-key': 'Former' },
  },
} as const;
const toWeb = 'projects: {web: prj-1}\nworkspaces: {app: {project: web}}\n';

test.each([
  ['text', 'project: web -> Other'],
  ['json', '"after": "Other"'],
  ['markdown', 'move from web to Other'],
])(
  'an undo shows the name of a project that no file names in %s, without another request',
  async (format, shown) => {
    const world = await applied(toWeb, moved);
    const { code, stdout } = await world.attune('undo', 'run.jsonl', '--yes', '--format', format);
    expect([code, stdout]).toEqual([0, expect.stringContaining(shown)]);
    expect(stdout.replace(/"id": "prj-other"/, '')).not.toContain('prj-other');
    expect(world.requests().filter((request) => request.includes('/projects'))).toHaveLength(1);
  },
);

test('an undo shows the names that the plan of the run knew', async () => {
  const workspace = 'app: {project: web, agent-pool-id: Onprem, ssh-key: Deploy}';
  const world = await applied(`projects: {web: {name: Web}}\nworkspaces: {${workspace}}\n`, moved);
  const { stdout } = await world.attune('undo', 'run.jsonl', '--yes');
  for (const shown of [
    'project: web -> Other',
    'agent-pool-id: Onprem -> Other',
    'ssh-key: Deploy -> Former',
  ])
    expect(stdout).toContain(shown);
  expect(stdout).not.toMatch(/apool-|sshkey-|prj-/);
});

test('an undo shows names in what it does not revert', async () => {
  const world = await applied(toWeb, moved, 'workspaces: {app: {project: Third}}\n');
  const { stderr } = await world.attune('undo', 'run.jsonl', '--yes');
  expect(stderr).toContain(
    'project of workspace.app is not reverted: the run left it "web", but it is now "Third"',
  );
});

describe('an undo of a move from a project without an alias', () => {
  const projects = { payments: 'prj-1', core: 'prj-2', unused: 'prj-3' };
  const ofPayments = { projects, workspaces: { web: { project: 'payments' } } };
  const toCore = 'workspaces: {web: {project: core}}\n';
  /** After the run, the project has another name, and another project has its name. */
  const renamed = async (declared = '') => {
    const world = await applied(declared + toCore, { ...ofPayments, dialect: 'terraform' });
    const document = (name: string, id = {}) => ({ data: { type: 'projects', ...id, attributes: { name } } });
    await sendTo(world.service, 'PATCH', '/projects/prj-1', document('payments-old', { id: 'prj-1' }));
    await sendTo(world.service, 'POST', '/organizations/acme/projects', document('payments'));
    return world;
  };

  test('an undo journals and saves only names of the projects that it replaces or writes', async () => {
    const world = await applied(toCore, ofPayments);
    expect((await world.attune('undo', 'run.jsonl', '--out', 'undo.json')).code).toBe(0);
    const saved = await readFile(join(world.folder, 'undo.json'), 'utf8');
    expect(JSON.parse(saved).overview.ids.projects).toEqual({ core: 'prj-2', payments: 'prj-1' });
    expect((await world.attune('undo', 'run.jsonl', '--yes', '--journal', 'undo.jsonl')).code).toBe(0);
    const [header = ''] = (await readFile(join(world.folder, 'undo.jsonl'), 'utf8')).split('\n');
    expect(JSON.parse(header).aliases.projects).toEqual({ core: 'prj-2', payments: 'prj-1' });
  });

  test.each([
    ['', 'payments-old'],
    ['projects: {payments: prj-1}\n', 'payments'],
    ['projects: {payments: {name: payments}}\n', 'payments-old'],
  ])(
    'an undo shows the present name of a project, and an alias of %j only for the project that it is declared for',
    async (declared, shown) => {
      const world = await renamed(declared);
      const { stdout } = await world.attune('undo', 'run.jsonl', '--yes');
      expect(stdout).toContain(`project: core -> ${shown}\n`);
    },
  );

  test('an undo never shows two projects with one name in what it does not revert', async () => {
    const files = 'projects: {payments: prj-2}\nworkspaces: {web: {project: payments}}\n';
    const unused = { projects, workspaces: { web: { project: 'unused' } } };
    const world = await applied(files, unused, 'workspaces: {web: {project: prj-1}}\n');
    const { stderr } = await world.attune('undo', 'run.jsonl', '--yes');
    expect(stderr).toContain('the run left it "payments", but it is now "prj-1"');
  });
});
