import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Risk } from '../../src/check/risks.ts';
import type { Seed } from '../../src/emulator/index.ts';
import type { Plan } from '../../src/model/plan.ts';
import { worldWith } from '../support/attune.ts';

const seed: Seed = {
  'agent-pools': { onprem: 'apool-1' },
  projects: {
    Core: { id: 'prj-core', 'tag-bindings': { env: 'prod' } },
    Lab: {
      id: 'prj-lab',
      'auto-destroy-activity-duration': '1d',
      'default-execution-mode': 'local',
      'tag-bindings': { env: 'lab' },
    },
    Edge: { id: 'prj-edge', 'default-execution-mode': 'agent', 'default-agent-pool': 'onprem' },
  },
  workspaces: {
    web: { project: 'Core' },
    own: { project: 'Core', 'execution-mode': 'remote', 'auto-destroy-activity-duration': '14d' },
    'lab-web': { project: 'Lab' },
    'edge-web': { project: 'Edge' },
  },
};
const head = 'attune: 1\norganization: acme\nprojects: {core: prj-core, lab: prj-lab, edge: prj-edge}\n';

async function planned(files: string, with_: Seed = seed) {
  const world = await worldWith(files, { seed: with_, dialect: 'terraform' });
  const { stdout, stderr, code } = await world.attune('plan', '--format', 'json');
  expect(code, stderr).toBe(0);
  const { effects, risks } = JSON.parse(stdout) as Pick<Plan, 'effects'> & { risks: readonly Risk[] };
  return { effects, risks, world };
}

test('a move shows the execution mode, the schedule and the tags that the workspace takes over', async () => {
  const { effects, risks } = await planned(`${head}workspaces: {web: {project: lab}}\n`);
  const web = { address: 'workspace.web', from: 'move' } as const;
  expect(effects.inherited).toEqual([
    { ...web, path: 'execution-mode', before: 'remote', after: 'local' },
    { ...web, path: 'auto-destroy-activity-duration', before: null, after: '1d' },
    { ...web, path: 'tag-bindings', before: { env: 'prod' }, after: { env: 'lab' } },
  ]);
  expect(risks).toEqual([
    {
      kind: 'protection-lost',
      address: 'workspace.web',
      path: 'auto-destroy-activity-duration',
      before: null,
      after: '1d',
    },
    { kind: 'execution', address: 'workspace.web', path: 'execution-mode', before: 'remote', after: 'local' },
  ]);
});

test('a move shows the agent pool of the new project by its alias', async () => {
  const { effects } = await planned(
    `${head}agent-pools: {onprem: apool-1}\nworkspaces: {web: {project: edge}}\n`,
  );
  expect(effects.inherited).toEqual([
    expect.objectContaining({ path: 'execution-mode', after: 'agent' }),
    expect.objectContaining({ path: 'agent-pool-id', before: null, after: 'onprem' }),
    expect.objectContaining({ path: 'tag-bindings', before: { env: 'prod' }, after: {} }),
  ]);
});

test('a move does not change the own settings of a workspace', async () => {
  const { effects } = await planned(`${head}workspaces: {own: {project: lab}}\n`);
  expect(effects.inherited?.map(({ path }) => path)).toEqual(['tag-bindings']);
});

test('a move back to a project without own settings shows those of the organization', async () => {
  const { effects } = await planned(`${head}workspaces: {lab-web: {project: core}}\n`);
  expect(effects.inherited?.map(({ path, before, after }) => [path, before, after])).toEqual([
    ['execution-mode', 'local', 'remote'],
    ['auto-destroy-activity-duration', '1d', null],
    ['tag-bindings', { env: 'lab' }, { env: 'prod' }],
  ]);
});

test('a change of a managed project names each workspace that inherits it, also undeclared ones', async () => {
  const { effects, risks, world } = await planned(`attune: 1
organization: acme
projects:
  core: {id: prj-core, name: Core, manage: true, auto-destroy-activity-duration: 2h, default-execution-mode: local}
`);
  const web = { address: 'workspace.web', from: 'project' } as const;
  expect(effects.inherited).toEqual([
    { ...web, path: 'execution-mode', before: 'remote', after: 'local' },
    { ...web, path: 'auto-destroy-activity-duration', before: null, after: '2h' },
  ]);
  expect(risks.map(({ kind, address }) => `${kind} ${address}`)).toEqual([
    'protection-lost project.core',
    'protection-lost workspace.web',
    'execution workspace.web',
  ]);
  expect(world.requests().filter((request) => request.includes('/acme/workspaces?'))).toEqual([
    expect.stringContaining('prj-core'),
  ]);
});

test('a workspace that gives up its own settings shows those of its project, which the plan reads for it', async () => {
  const { effects, risks, world } = await planned(
    `${head}workspaces: {own: {setting-overwrites: {execution-mode: false}, auto-destroy-activity-duration: null}}\n`,
    {
      ...seed,
      workspaces: {
        own: { project: 'Lab', 'execution-mode': 'remote', 'auto-destroy-activity-duration': '14d' },
      },
    },
  );
  const own = { address: 'workspace.own', from: 'project' } as const;
  expect(effects.inherited).toEqual([
    { ...own, path: 'execution-mode', before: 'remote', after: 'local' },
    { ...own, path: 'auto-destroy-activity-duration', before: '14d', after: '1d' },
  ]);
  expect(risks).toMatchObject([
    { kind: 'protection-lost', path: 'auto-destroy-activity-duration', before: '14d', after: '1d' },
    { kind: 'execution', path: 'execution-mode', before: 'remote', after: 'local' },
  ]);
  expect(world.requests()).toHaveLength(2);
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const shown = await world.attune('workspace', 'show', 'own', '--format', 'json');
  expect(JSON.parse(shown.stdout).workspaces[0].settings).toMatchObject({
    'execution-mode': 'local',
    'auto-destroy-activity-duration': '1d',
  });
});

test('a workspace that gives up its own mode shows the pool that it inherits with it', async () => {
  const { effects, world } = await planned(
    `${head}workspaces: {own: {setting-overwrites: {execution-mode: false}}}\n`,
    {
      ...seed,
      'agent-pools': { onprem: 'apool-1', other: 'apool-2' },
      workspaces: { own: { project: 'Edge', 'execution-mode': 'agent', 'agent-pool-id': 'apool-2' } },
    },
  );
  expect(effects.inherited).toEqual([
    { address: 'workspace.own', from: 'project', path: 'agent-pool-id', before: 'apool-2', after: 'apool-1' },
  ]);
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const shown = await world.attune('workspace', 'show', 'own', '--format', 'json');
  expect(JSON.parse(shown.stdout).workspaces[0].settings).toMatchObject({ 'agent-pool-id': 'apool-1' });
});

test('settings of projects that the token may not read are unknown, with a note', async () => {
  const reset = `${head}workspaces: {own: {auto-destroy-activity-duration: null}}\n`;
  for (const files of [reset, `${head}workspaces: {own: {project: lab}}\n`]) {
    const world = await worldWith(files, { seed, dialect: 'terraform' });
    world.service.setFaults([{ kind: 'status', status: 403, path: '/organizations/acme/projects*' }]);
    const { code, stderr } = await world.attune('plan');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /note\[effects-unread\]: this token may not read the settings of core(, lab)?: what changes in the settings that workspaces inherit is unknown/,
      ),
    ]);
  }
});

test('a policy sees the execution mode and the pool that a workspace inherits after the plan', async () => {
  const world = await worldWith(
    `attune: 1
organization: acme
projects: {core: {id: prj-core, manage: true, default-execution-mode: local}}
workspaces: {web: {}}
policies:
  - {id: no-local, on: workspace, require: workspace.attributes['execution-mode'] != 'local', message: No local runs.}
`,
    { seed, dialect: 'terraform' },
  );
  const { code, stderr } = await world.attune('apply', '--yes');
  expect([code, stderr, world.writes()]).toEqual([1, expect.stringContaining('no-local'), []]);
});

test('a plan without moves or changes of projects reads no project for its effects', async () => {
  const { world } = await planned(`${head}workspaces: {web: {description: new}}\n`);
  expect(world.requests()).toHaveLength(1);
});

test('every report shows inherited settings before and after', async () => {
  const world = await worldWith(`${head}workspaces: {web: {project: lab}}\n`, { seed, dialect: 'terraform' });
  const plan = await world.attune('plan', '--report', 'plan.md', '--report', 'plan.html');
  const report = (name: string) => readFile(join(world.folder, name), 'utf8');
  expect(plan.stdout).toContain(`
  inherited execution-mode: remote -> local for web
  inherited auto-destroy-activity-duration: (none) -> 1d for web
`);
  expect(await report('plan.md')).toContain('inherited execution-mode: remote -> local for web');
  expect(await report('plan.html')).toContain('inherited execution-mode: remote -&gt; local for web');
});
