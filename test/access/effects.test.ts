import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';
const worldOf = (files: string, seed: Seed) => worldWith(head + files, { seed, dialect: 'terraform' });

test('a snapshot has the team access that a move needs if the files name the projects', async () => {
  const rootIn = (project: string, aliases = '') =>
    `scope: {tags: [shop]}\n${aliases}workspaces: {app: {project: ${project}, tags: [shop]}}\n`;
  const both = 'projects: {payments: prj-payments, platform: prj-platform}\n';
  const world = await worldWith(head + rootIn('prj-platform'), {
    seed: {
      projects: { Payments: 'prj-payments', Platform: 'prj-platform' },
      teams: { sre: 'team-sre' },
      workspaces: { app: { project: 'prj-platform', tags: ['shop'] } },
      'team-access': { 'prj-platform': { 'team-sre': 'admin' }, 'prj-payments': { 'team-sre': 'admin' } },
    } as never,
  });
  const declare = (files: string) => writeFile(join(world.folder, 'attune.yaml'), head + files);
  const unknownAfterMove = async (aliases: string, moved: string) => {
    await declare(rootIn('prj-platform', aliases));
    expect((await world.attune('snapshot', '--everything', '--out', 'live.json')).code).toBe(0);
    await declare(rootIn(moved, aliases));
    const { stdout } = await world.attune('plan', '--format', 'json', '--snapshot', 'live.json');
    return JSON.parse(stdout).effects.moves[0].unknown;
  };
  expect(await unknownAfterMove('', 'prj-payments')).toEqual(['Payments']);
  expect(await unknownAfterMove(both, 'payments')).toEqual([]);
  // The snapshot of the moving files has the access that their plan needs.
  expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
  await declare(rootIn('payments', both));
  const { stdout } = await world.attune('plan', '--format', 'json', '--snapshot', 'live.json');
  expect(JSON.parse(stdout).effects.moves[0].unknown).toEqual([]);
});

test('every report shows what workspaces gain, lose and inherit through their project', async () => {
  const world = await worldOf(
    `projects:
  shop: {name: Shop, manage: true, tag-bindings: {env: test, owner: sre}}
  new: {name: New, manage: true, tag-bindings: {team: web}, auto-destroy-activity-duration: 1d}
workspaces:
  a: {tag-bindings: {remove: [owner]}}
  b: {project: new, tag-bindings: {env: dev}}
  c: {project: new}
  same: {description: changed}
`,
    {
      projects: { Shop: { id: 'prj-shop', 'tag-bindings': { env: 'prod', cost: '1' } } },
      workspaces: {
        a: { project: 'Shop', 'tag-bindings': { owner: 'jo' }, 'project-remote-state': true },
        b: { project: 'Shop' },
        other: { project: 'Shop' },
        same: { project: 'Shop', 'tag-bindings': { env: 'own', cost: 'own', owner: 'own' } },
      },
    },
  );
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
  state of a: access lost by b
  move from shop to new: b
    no team gains or loses permissions
  inherited auto-destroy-activity-duration: (none) -> 1d for b
  inherited tags in new: +team=web -cost=1 for b
  inherited tags in new: +team=web for c
  inherited tags in shop: +env=test +owner=sre -cost=1 -env=prod for a, other
`);
  expect(JSON.parse(await report('plan.json')).effects.inheritedTags).toEqual([
    { project: 'new', workspaces: ['b'], gains: ['team=web'], loses: ['cost=1'] },
    { project: 'new', workspaces: ['c'], gains: ['team=web'], loses: [] },
    {
      project: 'shop',
      workspaces: ['a', 'other'],
      gains: ['env=test', 'owner=sre'],
      loses: ['cost=1', 'env=prod'],
    },
  ]);
  for (const page of ['plan.md', 'plan.html'])
    expect(await report(page)).toContain(
      'inherited tags in shop: +env=test +owner=sre -cost=1 -env=prod for a, other',
    );
  expect(await report('plan.html')).toMatch(/lost<.*>a<.*>b</);
});
