import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Risk } from '../../src/check/risks.ts';
import type { Plan } from '../../src/model/plan.ts';
import { worldWith } from '../support/attune.ts';

const seed = {
  settings: { 'default-project': 'Platform' },
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  workspaces: {
    network: { project: 'Platform', 'project-remote-state': true },
    web: { project: 'Platform' },
    billing: { project: 'Payments', 'project-remote-state': true },
    ledger: { project: 'Payments', 'remote-state-consumers': ['network', 'web'] },
  },
} as const;
const head = 'attune: 1\norganization: acme\nprojects: {platform: prj-platform, payments: prj-payments}\n';

async function effectsOf(files: string, ...flags: string[]) {
  const world = await worldWith(head + files, { seed, dialect: 'terraform' });
  const { stdout, stderr, code } = await world.attune('plan', '--format', 'json', ...flags);
  expect(code, stderr).toBe(0);
  const { effects, risks } = JSON.parse(stdout) as Pick<Plan, 'effects'> & { risks: Risk[] };
  return { effects, risks, world };
}

test('a workspace that moves gains and loses the readers of its projects, and reads the states of undeclared ones', async () => {
  const { effects } = await effectsOf(
    'workspaces:\n  web: {project: payments, project-remote-state: true}\n',
  );
  expect(effects.stateAccess).toEqual([
    { workspace: 'billing', gains: ['web'], loses: [] },
    { workspace: 'network', gains: [], loses: ['web'] },
    { workspace: 'web', gains: ['payments/*'], loses: [], unknown: true },
  ]);
});

test('a state that is shared with its project is read by the workspaces of the new project after a move', async () => {
  const { effects } = await effectsOf('workspaces:\n  network: {project: payments}\n');
  expect(effects.stateAccess).toEqual([
    { workspace: 'billing', gains: ['network'], loses: [] },
    { workspace: 'network', gains: ['billing', 'ledger'], loses: ['web'] },
  ]);
});

test('a deleted workspace is not reported as a reader that its project loses', async () => {
  const { effects } = await effectsOf(
    'workspaces:\n  web: {state: absent}\n  new: {project: platform}\n',
    '--max-deletes',
    '1',
  );
  expect(effects.stateAccess).toEqual([{ workspace: 'network', gains: ['new'], loses: [] }]);
});

test('a renamed workspace keeps its access to the state of its project', async () => {
  const { effects } = await effectsOf(
    'workspaces:\n  site: {renamed-from: web}\n  new: {project: platform}\n',
  );
  expect(effects.stateAccess).toEqual([{ workspace: 'network', gains: ['new'], loses: [] }]);
});

test('a workspace of the project that the new list names keeps its access', async () => {
  const { effects, risks } = await effectsOf(
    `workspaces:
  network: {project-remote-state: false, remote-state-consumers: [web, ledger]}
  web: {}
  ledger: {}
`,
  );
  expect(effects.stateAccess).toEqual([{ workspace: 'network', gains: ['ledger'], loses: ['platform/*'] }]);
  expect(risks).toEqual([
    { kind: 'state-access-gained', address: 'workspace.network', workspaces: ['ledger'] },
    { kind: 'state-access-lost', address: 'workspace.network', workspaces: ['platform/*'] },
  ]);
});

test('a plan that moves or creates nothing reads no other workspaces of the projects', async () => {
  const { world } = await effectsOf('workspaces:\n  network: {project-remote-state: false}\n');
  const lists = world.requests().filter((request) => request.includes('/acme/workspaces?'));
  expect(lists).toEqual([]);
});

test('a scope that contains the projects of a move saves the second read', async () => {
  const { world, effects } = await effectsOf(
    `scope: {projects: [platform, payments]}
prune: {workspaces: keep}
workspaces:
  web: {project: payments}
  new: {project: platform}
`,
  );
  expect(effects.stateAccess).toEqual([
    { workspace: 'billing', gains: ['web'], loses: [] },
    { workspace: 'network', gains: ['new'], loses: ['web'] },
  ]);
  const lists = world.requests().filter((request) => request.includes('/acme/workspaces?'));
  expect(lists).toHaveLength(1);
});

test('a workspace that is created without a project gains the states of the default project', async () => {
  const { world, effects } = await effectsOf(`workspaces:
  new: {project-remote-state: true}
`);
  expect(effects.stateAccess).toEqual([
    { workspace: 'network', gains: ['new'], loses: [] },
    { workspace: 'new', gains: ['network', 'web'], loses: [] },
  ]);
  expect(world.requests()).toContain('GET /organizations/acme');
});

test('a snapshot without the other workspaces of a project leaves out the effects on them, with a note', async () => {
  const world = await worldWith(`${head}scope: {names: [web]}\nworkspaces:\n  web: {}\n`, {
    seed,
    dialect: 'terraform',
  });
  await world.attune('snapshot', '--out', 'live.json');
  const moved = `${head}scope: {names: [web]}\nworkspaces:\n  web: {project: payments}\n`;
  await writeFile(join(world.folder, 'attune.yaml'), moved);
  const { stdout, stderr, code } = await world.attune('plan', '--snapshot', 'live.json');
  expect(code, stderr).toBe(0);
  expect(stdout).not.toContain('state of');
  expect(stderr).toContain(
    'note[effects-unread]: the snapshot does not contain every workspace of payments, platform: the effects of moves and creates on undeclared ones are unknown',
  );
});

test('the page shows states that are shared with a project, and the readers that a move brings', async () => {
  const world = await worldWith(`${head}workspaces:\n  web: {project: payments}\n`, {
    seed,
    dialect: 'terraform',
  });
  await world.attune('plan', '--report', 'plan.html');
  const page = await readFile(join(world.folder, 'plan.html'), 'utf8');
  expect(page).toContain('<code>every workspace of payments</code></td><td>project switch</td>');
  expect(page).toMatch(/gained<.*<code>billing<.*>web<.*<td>project switch</);
  expect(page).toMatch(/lost<.*<code>network<.*>web<.*<td>project switch</);
});
