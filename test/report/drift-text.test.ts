import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const seed = { workspaces: { app: { tags: ['managed'] }, web: { tags: ['managed'] } } };
const head = 'attune: 1\norganization: acme\n';
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);

test('drift without a scope reports that undeclared workspaces were not checked', async () => {
  const world = await worldWith(`${head}workspaces: {app: {}}\n`, { seed });
  const { code, stdout } = await world.attune('drift');
  expect([code, lastLine(stdout)]).toEqual([
    0,
    'No drift. The live state matches the configuration: 1 resource compared, undeclared workspaces not checked (no scope).',
  ]);
});

test('drift with differences and without a scope counts no undeclared workspaces', async () => {
  const world = await worldWith(`${head}workspaces: {app: {auto-apply: true}}\n`, { seed });
  const { code, stdout } = await world.attune('drift');
  expect([code, lastLine(stdout)]).toEqual([
    2,
    'Drift: 0 missing, 1 changed, undeclared workspaces not checked (no scope), 0 unchanged.',
  ]);
});

test('drift with a scope counts undeclared workspaces', async () => {
  const world = await worldWith(`${head}workspaces: {app: {}}\nscope: {tags: [managed]}\n`, { seed });
  const { code, stdout } = await world.attune('drift');
  expect([code, lastLine(stdout)]).toEqual([2, 'Drift: 0 missing, 0 changed, 1 undeclared, 1 unchanged.']);
});

test('drift of team access alone reports that the scope was not read', async () => {
  const world = await worldWith(
    `${head}workspaces: {app: {}}\nscope: {tags: [managed]}\nteam-access: {prj-a: {team-a: read}}\n`,
    {
      seed: {
        ...seed,
        projects: { a: 'prj-a' },
        teams: { a: 'team-a' },
        'team-access': { a: { a: 'read' } },
      },
    },
  );
  const { code, stdout } = await world.attune('drift', '--only', 'team-access.*');
  expect([code, lastLine(stdout)]).toEqual([
    0,
    'No drift. The live state matches the configuration: 1 resource compared, undeclared workspaces not checked (the scope was not read in full).',
  ]);
});

test('drift of several root files reports how many of them have no scope', async () => {
  const world = await worldWith(
    {
      'a.yaml': `${head}workspaces: {app: {auto-apply: true}}\n`,
      'b.yaml': `${head}workspaces: {}\nscope: {names: [web]}\n`,
    },
    { seed },
  );
  const { code, stdout } = await world.attune('drift', 'a.yaml', 'b.yaml');
  expect([code, lastLine(stdout)]).toEqual([
    2,
    'All of acme: 0 missing, 1 changed, 1 undeclared (1 of 2 root files not checked: no scope), 0 unchanged.',
  ]);
});
