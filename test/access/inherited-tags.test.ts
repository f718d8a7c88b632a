import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inheritedSettingsOf, inheritedTagsOf } from '../../src/access/effects.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Labels } from '../../src/resolve/labels.ts';
import { worldWith } from '../support/attune.ts';

const seed = {
  projects: { Shop: { id: 'prj-shop', 'tag-bindings': { env: 'prod', cost: '1' } } },
  workspaces: {
    a: { project: 'Shop', 'tag-bindings': { owner: 'jo' } },
    b: { project: 'Shop' },
    other: { project: 'Shop' },
    same: { project: 'Shop', 'tag-bindings': { env: 'own', cost: 'own', owner: 'own' } },
  },
};
const yaml = `attune: 1
organization: acme
projects:
  shop: {name: Shop, manage: true, tag-bindings: {env: test, owner: sre}}
  new: {name: New, manage: true, tag-bindings: {team: web}}
workspaces:
  a: {tag-bindings: {remove: [owner]}}
  b: {project: new, tag-bindings: {env: dev}}
  c: {project: new}
  same: {description: changed}
`;

test('every report shows the key/value tags that workspaces gain and lose through their project', async () => {
  const world = await worldWith(yaml, { seed, dialect: 'terraform' });
  const plan = await world.attune(
    'plan',
    '--report',
    'plan.json',
    '--report',
    'plan.md',
    '--report',
    'plan.html',
  );
  expect(plan.code, plan.stderr).toBe(0);
  const report = (name: string) => readFile(join(world.folder, name), 'utf8');

  expect(plan.stdout).toContain(`Effects:
  move from shop to new: b
    no team gains or loses permissions
  inherited tags in new: +team=web -cost=1 for b
  inherited tags in new: +team=web for c
  inherited tags in shop: +env=test +owner=sre -cost=1 for a, other
`);
  expect(JSON.parse(await report('plan.json')).effects.inheritedTags).toEqual([
    { project: 'new', workspaces: ['b'], gains: ['team=web'], loses: ['cost=1'] },
    { project: 'new', workspaces: ['c'], gains: ['team=web'], loses: [] },
    { project: 'shop', workspaces: ['a', 'other'], gains: ['env=test', 'owner=sre'], loses: ['cost=1'] },
  ]);
  for (const page of ['plan.md', 'plan.html'])
    expect(await report(page)).toContain('inherited tags in shop: +env=test +owner=sre -cost=1 for a, other');
});

test('inherited tags are sorted by their text', () => {
  const workspace: WorkspaceResource = {
    kind: 'workspace',
    address: 'workspace.app',
    name: 'app',
    id: 'ws-app',
    attributes: { project: 'prj-1', 'inherited-tag-bindings': { zone: 'b', env: 'prod' } },
  };
  const labels = { aliases: { projects: new Map([['base', 'prj-1']]) }, names: new Map() };
  expect(inheritedTagsOf([], [workspace], labels as unknown as Labels)).toEqual([
    { project: 'base', workspaces: ['app'], gains: ['env=prod', 'zone=b'], loses: [] },
  ]);
});

test('a move shows only the tags that the projects do not share, and none if those of the new one are unknown', () => {
  const workspace = (project: string, inherited?: Record<string, string>): WorkspaceResource => ({
    kind: 'workspace',
    address: 'workspace.app',
    name: 'app',
    id: 'ws-app',
    attributes: { project, ...(inherited && { 'inherited-tag-bindings': inherited }) },
  });
  const labels = { aliases: { projects: new Map() }, names: new Map() } as unknown as Labels;
  const before = [workspace('prj-1', { env: 'prod', zone: 'a' })];
  const after = [workspace('prj-2', { env: 'prod', zone: 'b' })];
  expect(inheritedTagsOf(before, after, labels)).toEqual([
    { project: 'prj-2', workspaces: ['app'], gains: ['zone=b'], loses: [] },
  ]);
  expect(inheritedSettingsOf({ before, after, labels, changes: [] })).toHaveLength(1);
  expect(inheritedSettingsOf({ before, after: [workspace('prj-2')], labels, changes: [] })).toEqual([]);
});
