import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

test('team access that was not read is unknown on the page, and not "no access"', async () => {
  const world = await worldWith(`${head}workspaces: {app: {}}\nteam-access: {prj-core: {team-sre: read}}\n`, {
    seed: {
      projects: { core: 'prj-core', pay: 'prj-pay' },
      teams: { sre: 'team-sre' },
      workspaces: { app: { project: 'pay' } },
      'team-access': { core: { sre: 'write' } },
    },
  });
  const { stdout } = await world.attune('plan', '--format', 'html');
  expect(stdout).toContain('Team access of <b>pay</b>: unknown (not read).');
});

test('a drift report has how much of the scope was read', async () => {
  const seed = {
    projects: { a: 'prj-a' },
    teams: { a: 'team-a' },
    workspaces: { app: {}, other: {} },
    'team-access': { a: { a: 'read' } },
  };
  const scopes = [
    ['', []],
    ['scope: {names: ["*"]}\n', []],
    ['scope: {names: ["*"]}\nteam-access: {prj-a: {team-a: read}}\n', ['--only', 'team-access.*']],
  ] as const;
  const read = scopes.map(async ([scope, flags]) => {
    const world = await worldWith(`${head}workspaces: {app: {}}\n${scope}`, { seed });
    const { stdout } = await world.attune('drift', '--format', 'json', ...flags);
    const document = JSON.parse(stdout);
    return [document.scope, document.unmanaged];
  });
  expect(await Promise.all(read)).toEqual([
    ['none', []],
    ['whole', ['workspace.other']],
    ['not-whole', []],
  ]);
});
