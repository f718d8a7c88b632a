import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

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
