import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
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
const path = '/organizations/acme/projects';

/** A world in which the apply has run. */
async function applied(): Promise<World> {
  const world = await worldWith(yaml, { seed, dialect }, { clock: jumpingClock() });
  const ran = await world.attune('apply', '--yes', '--quiet', '--journal', 'run.jsonl');
  expect(ran.code, ran.stdout + ran.stderr).toBe(0);
  return world;
}

const undo = (world: World) => world.attune('undo', 'run.jsonl', '--yes', '--quiet');
const stateOf = ({ service }: World) => liveState({ url: service.url, dialect });

/** The id of the project that the run created. */
async function idOfNew({ service }: World): Promise<string> {
  const projects: { id: string; attributes: { name: string } }[] = await sendTo(service, 'GET', path);
  return projects.find(({ attributes }) => attributes.name === 'New')?.id ?? '';
}

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

test('undo leaves a created project that holds other workspaces, and reverts all other changes', async () => {
  const world = await applied();
  const theirs = workspaceBody({ name: 'theirs' }, await idOfNew(world));
  await sendTo(world.service, 'POST', '/organizations/acme/workspaces', theirs);
  const { code, stderr } = await undo(world);
  expect(code).toBe(1);
  expect(stderr).toContain(
    'warning[not-reverted]: project.new is not reverted: project.new cannot be deleted: 1 workspace would be left in it (theirs)\n',
  );
  const left = Object.keys(await stateOf(world));
  expect(left).toEqual(expect.arrayContaining(['project.New', 'project.Old', 'workspace.theirs']));
});
