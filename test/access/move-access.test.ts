import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type World, worldWith } from '../support/attune.ts';

const seed = {
  projects: { Payments: 'prj-payments', Platform: 'prj-platform' },
  teams: { sre: 'team-sre', developers: 'team-developers' },
  workspaces: { app: { id: 'ws-app', project: 'prj-platform', tags: ['shop'] } },
  'team-access': {
    'prj-platform': { 'team-sre': 'admin' },
    'prj-payments': { 'team-sre': 'admin', 'team-developers': 'admin' },
  },
};

const rootIn = (project: string, aliases = '') =>
  `attune: 1\norganization: acme\nscope: {tags: [shop]}\n${aliases}teams: {developers: team-developers}\nworkspaces: {app: {project: ${project}, tags: [shop]}}\n`;

const world = (root: string): Promise<World> => worldWith({ 'attune.yaml': root }, { seed: seed as never });

const planned = async ({ attune }: World, ...args: readonly string[]) => {
  const { stdout } = await attune('plan', '--format', 'json', ...args);
  const { effects, risks, diagnostics } = JSON.parse(stdout);
  return {
    teams: effects.moves[0]?.teams.map(({ team, before, after }: Record<string, string>) => [
      team,
      before,
      after,
    ]),
    unknown: effects.moves[0]?.unknown,
    risks: risks.map(({ kind, team }: Record<string, string>) => [kind, team]),
    notes: diagnostics
      .filter(({ code }: Record<string, string>) => code === 'effects-unread')
      .map(({ message, hint }: Record<string, string>) => [message, hint]),
  };
};

test('a move shows what its teams gain and lose, although the root file declares no access', async () => {
  const given = await world(rootIn('prj-payments'));
  expect(await planned(given)).toEqual({
    teams: [['developers', null, 'admin']],
    unknown: [],
    risks: [['admin-access', 'developers']],
    notes: [],
  });
  const access = given.requests().filter((request) => request.includes('/team-projects'));
  expect(access).toEqual(
    ['prj-payments', 'prj-platform'].map(
      (id) => `GET /team-projects?filter[project][id]=${id}&page[size]=100`,
    ),
  );
});

test('a plan without moves reads no team access for them', async () => {
  const given = await world(rootIn('prj-platform'));
  await given.attune('plan');
  expect(given.requests().filter((request) => request.includes('/team-projects'))).toEqual([]);
});

test('team access that the token may not read is unknown, with a note', async () => {
  const given = await world(rootIn('prj-payments', 'projects: {platform: prj-platform}\n'));
  const path = '/team-projects?filter[project][id]=prj-platform*';
  given.service.setFaults([{ kind: 'status', status: 404, path }]);
  const { unknown, notes } = await planned(given);
  expect(unknown).toContain('platform');
  expect(notes).toContainEqual([
    'the team access of platform is unknown: this token may not read it, so what moves change for teams is not complete',
    'use a token that may read the team access of the project, such as one of a team with admin access',
  ]);
});

const both = 'projects: {payments: prj-payments, platform: prj-platform}\n';

test('team access that a snapshot lacks is unknown, and a snapshot with an alias of the project has it', async () => {
  const given = await world(rootIn('prj-platform'));
  expect((await given.attune('snapshot', '--everything', '--out', 'live.json')).code).toBe(0);
  await writeFile(join(given.folder, 'attune.yaml'), rootIn('prj-payments'));
  const { unknown, notes } = await planned(given, '--snapshot', 'live.json');
  expect(unknown).toEqual(['Payments']);
  expect(notes).toEqual([
    [
      'the team access of Payments is unknown: the snapshot does not contain it, so what moves change for teams is not complete',
      'add the project under `projects`, and record a snapshot with `attune snapshot --everything --out`',
    ],
  ]);
  await writeFile(join(given.folder, 'attune.yaml'), rootIn('prj-platform', both));
  expect((await given.attune('snapshot', '--everything', '--out', 'live.json')).code).toBe(0);
  await writeFile(join(given.folder, 'attune.yaml'), rootIn('payments', both));
  expect(await planned(given, '--snapshot', 'live.json')).toMatchObject({ unknown: [], notes: [] });
});
