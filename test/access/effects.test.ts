import { expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';

const head =
  'attune: 1\norganization: acme\nprojects: {core: prj-core, pay: prj-pay}\nteams: {sre: team-sre, dev: team-dev}\n';

/** The lines below "Effects:" of a plan. */
async function effectsOf(files: string, seed: Seed, hidden?: string): Promise<string[]> {
  const world = await worldWith(head + files, { seed });
  if (hidden !== undefined)
    world.service.setFaults([
      { kind: 'status', status: 404, path: `/team-projects?filter[project][id]=${hidden}*` },
    ]);
  const { code, stdout, stderr } = await world.attune('plan');
  expect([code, stderr.includes('error')], stderr).toEqual([0, false]);
  const [, effects = ''] = stdout.split('Effects:\n');
  return (
    effects
      .split('\n\n')[0]
      ?.split('\n')
      .map((line) => line.replace(/^ {2}/, '')) ?? []
  );
}

const projects = { Core: 'prj-core', Pay: 'prj-pay' };
const teams = { sre: 'team-sre', dev: 'team-dev' };

test('a plan shows that a state is no longer shared with all when its consumers are unmanaged', async () => {
  const lines = await effectsOf('workspaces:\n  network: {global-remote-state: false}\n', {
    workspaces: { network: { 'global-remote-state': true, 'remote-state-consumers': ['web'] }, web: {} },
  });
  expect(lines).toEqual([
    'state of network: access lost by every workspace; the remaining readers are unknown',
  ]);
});

test('a plan does not report that only added consumers read a state that was shared with all', async () => {
  const lines = await effectsOf(
    'workspaces:\n  network: {global-remote-state: false, remote-state-consumers: {add: [app]}}\n  app: {}\n',
    {
      workspaces: {
        network: { 'global-remote-state': true, 'remote-state-consumers': ['web'] },
        web: {},
        app: {},
      },
    },
  );
  expect(lines).toEqual([
    'state of network: access lost by every workspace; the remaining readers are unknown',
  ]);
});

test('a move shows teams and projects that have no alias by the names under team-access', async () => {
  const lines = await effectsOf(
    'workspaces:\n  network: {project: Web}\nteam-access:\n  core: {Auditors: read}\n  Web: {Auditors: none}\n',
    {
      projects: { ...projects, Web: 'prj-web' },
      teams: { ...teams, Auditors: 'team-auditors' },
      workspaces: { network: { project: 'Core' } },
      'team-access': { Core: { Auditors: 'read' } },
    },
  );
  expect(lines).toEqual([
    'move from core to Web: network',
    '  team Auditors: read -> no access; revokes project-access.settings read, workspace-access.runs read, workspace-access.state-versions read, workspace-access.variables read',
  ]);
});

test('a move to a project that was read and has no grants shows what each team loses', async () => {
  const lines = await effectsOf(
    'workspaces:\n  network: {project: pay}\nteam-access:\n  core: {dev: read}\n  pay: {sre: none}\n',
    {
      projects,
      teams,
      workspaces: { network: { project: 'Core' } },
      'team-access': { Core: { dev: 'read' } },
    },
  );
  expect(lines).toEqual([
    'move from core to pay: network',
    expect.stringMatching(/^ {2}team dev: read -> no access; revokes /),
  ]);
});

test('a move from a project that the token may not read shows unknown access before it', async () => {
  const lines = await effectsOf(
    'workspaces:\n  network: {project: pay}\nteam-access:\n  pay: {sre: admin}\n',
    {
      projects,
      teams,
      workspaces: { network: { project: 'Core' } },
      'team-access': { Core: { dev: 'read' }, Pay: { sre: 'admin' } },
    },
    'prj-core',
  );
  expect(lines).toEqual([
    'move from core to pay: network',
    '  team sre: unknown -> admin',
    '  other teams of core: unknown (team access was not read)',
  ]);
});

test('a move to a project that the token may not read shows unknown access after it', async () => {
  const lines = await effectsOf(
    'workspaces:\n  network: {project: pay}\nteam-access:\n  core: {dev: read}\n',
    {
      projects,
      teams,
      workspaces: { network: { project: 'Core' } },
      'team-access': { Core: { dev: 'read' }, Pay: { dev: 'read' } },
    },
    'prj-pay',
  );
  expect(lines).toEqual([
    'move from core to pay: network',
    '  team dev: read -> unknown',
    '  other teams of pay: unknown (team access was not read)',
  ]);
});
