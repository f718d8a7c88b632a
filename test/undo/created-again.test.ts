import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { liveState } from './live-state.ts';

const common = `attune: 1
organization: acme
teams: {sre: team-sre}
limits: {delete-percent: 100}
`;
const first = `${common}projects:
  one: {name: One, manage: true}
  shop: {name: Shop, manage: true, description: new words}
workspaces:
  app: {project: one, remote-state-consumers: [other]}
  job: {renamed-from: task, description: new words, tags: [new]}
  fresh: {project: shop}
team-access: {shop: {sre: admin}}
`;
const second = `${common}projects: {shop: prj-shop}
team-access: {shop: {sre: none}}
`;
const third = `${common}projects:
  shop: {name: Shop, manage: true, state: absent}
workspaces:
  fresh: {state: absent}
  job: {state: absent}
  reader: {state: absent}
`;
const seed = {
  projects: { One: 'prj-one', Shop: { id: 'prj-shop', description: 'old words' } },
  teams: { sre: 'team-sre' },
  'team-access': { 'prj-shop': { 'team-sre': 'read' } },
  workspaces: {
    app: { project: 'Shop', 'remote-state-consumers': ['reader', 'other'] },
    task: { description: 'old words', tags: ['old'] },
    reader: {},
    other: {},
  },
};
const stateOf = ({ service }: World) => liveState({ url: service.url, dialect: 'terraform' });

async function ran(world: World, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await world.attune(...argv, '--yes', '--quiet');
  expect(code, stdout + stderr).toBe(0);
  return stderr;
}

/** A world in which runs changed, moved and created objects, revoked access to them, and deleted them. */
async function appliedAll(): Promise<World & { readonly before: Awaited<ReturnType<typeof liveState>> }> {
  const files = { 'first.yaml': first, 'second.yaml': second, 'third.yaml': third };
  const world = await worldWith(files, { seed, dialect: 'terraform' }, { clock: jumpingClock() });
  const before = await stateOf(world);
  for (const name of ['first', 'second', 'third'])
    await ran(world, 'apply', `${name}.yaml`, '--journal', `${name}.jsonl`);
  return { ...world, before };
}

describe('after an undo that created objects again under new ids', () => {
  test('the undo of an older journal restores their names, values, places, access and readers', async () => {
    const world = await appliedAll();
    await ran(world, 'undo', 'third.jsonl');
    expect(await ran(world, 'undo', 'second.jsonl')).not.toContain('warning[');
    expect(await ran(world, 'undo', 'first.jsonl')).not.toContain('warning[');
    expect(await stateOf(world)).toEqual(world.before);

    const { code, stderr } = await world.attune('undo', 'first.jsonl', '--yes', '--quiet');
    expect([code, world.writes()]).toEqual([0, []]);
    expect(stderr).not.toContain('warning[');
  });

  test('the undo of an older journal finds them also if they were created again twice', async () => {
    const world = await appliedAll();
    await ran(world, 'undo', 'third.jsonl');
    await ran(world, 'undo', '--last', 'third.yaml');
    await ran(world, 'undo', '--last', 'third.yaml');
    await ran(world, 'undo', 'second.jsonl');
    await ran(world, 'undo', 'first.jsonl');
    expect(await stateOf(world)).toEqual(world.before);
  });

  test('the undo of an older journal leaves them alone without the journal of that undo', async () => {
    const world = await appliedAll();
    await ran(world, 'undo', 'third.jsonl');
    await rm(join(world.folder, '.attune'), { recursive: true });
    const { code, stderr } = await world.attune('undo', 'first.jsonl', '--yes', '--quiet');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'warning[undo-conflict]: workspace.job is not reverted: it was deleted, or this token may not see it\n',
    );
    expect(stderr).toContain(
      'warning[undo-conflict]: project of workspace.app is not reverted: its former project prj-shop was deleted, or this token may not see it\n',
    );
    expect(await stateOf(world)).toMatchObject({
      'project.Shop': { description: 'new words' },
      'workspace.job': { description: 'new words' },
      'workspace.fresh': {},
    });
  });
});

test('undo leaves a workspace alone that another user created with the name of a deleted one', async () => {
  const world = await appliedAll();
  const theirs = workspaceBody({ name: 'job', description: 'theirs' });
  await sendTo(world.service, 'POST', '/organizations/acme/workspaces', theirs);
  const { stderr } = await world.attune('undo', 'third.jsonl', '--yes', '--quiet');
  expect(stderr).toContain('workspace.job is not reverted: after the run deleted it, another one');
  await world.attune('undo', 'first.jsonl', '--yes', '--quiet');
  expect(await stateOf(world)).toMatchObject({ 'workspace.job': { description: 'theirs' } });
});
