import { expect, test } from 'vitest';
import { type World, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { liveState } from './live-state.ts';

const yaml = `attune: 1
organization: acme
projects:
  new: {name: New, manage: true, description: ours, tag-bindings: {env: prod}}
  shop: {name: Store, manage: true, renamed-from: Shop, tag-bindings: {add: {env: prod}}}
  old: {name: Old, manage: true, state: absent}
teams: {sre: team-sre}
workspaces: {app: {project: new, tag-bindings: {env: dev}}}
team-access: {new: {sre: write}}
limits: {delete-percent: 100}
`;
const seed = {
  projects: {
    Shop: { id: 'prj-shop', 'tag-bindings': { owner: 'jo' } },
    Old: { id: 'prj-old', description: 'old words', 'tag-bindings': { env: 'dev' } },
  },
  teams: { sre: 'team-sre' },
  workspaces: { app: { project: 'Old', 'tag-bindings': { env: 'prod', owner: 'al' } } },
};
const dialect = 'terraform' as const;

const undo = (world: World) => world.attune('undo', 'run.jsonl', '--yes', '--quiet');
const stateOf = ({ service }: World) => liveState({ url: service.url, dialect });

test('undo restores projects, key/value tags and access, and a second undo changes nothing', async () => {
  const world = await worldWith(yaml, { seed, dialect }, { clock: jumpingClock() });
  const before = await stateOf(world);
  await world.attune('apply', '--yes', '--quiet', '--journal', 'run.jsonl');
  const first = await undo(world);
  expect(first.code, first.stdout + first.stderr).toBe(0);
  expect(await stateOf(world)).toEqual(before);

  const second = await undo(world);
  expect([second.code, second.stderr]).toEqual([0, '']);
  expect(world.writes()).toEqual([]);
});
