import { describe, expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { sendTo } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { liveState } from './live-state.ts';

const files = {
  'attune.yaml': `attune: 1
organization: acme
limits: {delete-percent: 100}
workspaces:
  legacy: {state: absent}
  reader: {remote-state-consumers: []}
`,
};
const seed: Seed = {
  settings: { 'recoverable-items-enabled': true },
  projects: { One: 'prj-one' },
  workspaces: {
    legacy: {
      id: 'ws-legacy',
      project: 'One',
      tags: ['old'],
      description: 'Unknown use',
      'remote-state-consumers': ['reader'],
    },
    reader: { 'remote-state-consumers': ['legacy'] },
  },
};
const items = '/recoverable-items/*/actions/recover';

async function deleted(given: Seed = seed) {
  const world = await worldWith(files, { seed: given, dialect: 'terraform' }, { clock: jumpingClock() });
  const before = await stateOf(world);
  const applied = await world.attune('apply', '--yes', '--quiet', '--journal', 'run.jsonl');
  expect(applied.code, applied.stderr).toBe(0);
  world.service.clearRequests();
  return { ...world, before, applied };
}
const stateOf = ({ service }: World) => liveState({ url: service.url, dialect: 'terraform' });
const undo = (world: World, ...flags: string[]) =>
  world.attune('undo', 'run.jsonl', '--yes', '--quiet', ...flags);

async function idOf({ service }: World): Promise<string> {
  return (await sendTo(service, 'GET', '/organizations/acme/workspaces/legacy')).id;
}
async function itemId({ service }: World): Promise<string> {
  return (await sendTo(service, 'GET', '/organizations/acme/recoverable-items'))[0].id;
}

test('undo recovers a deleted workspace with its id, and its place in the lists of others', async () => {
  const world = await deleted();
  const { code, stderr } = await undo(world);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'note[recovers]: workspace.legacy can be recovered with its id, runs and state: the service keeps it until 2',
  );
  expect(await idOf(world)).toBe('ws-legacy');
  expect(await stateOf(world)).toEqual(world.before);
  const writes = world.service.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
  expect(writes).toEqual([
    expect.stringMatching(/^PUT \/recoverable-items\/[\w-]+\/actions\/recover$/),
    expect.stringMatching(/^POST \/workspaces\/ws-\w+\/relationships\/remote-state-consumers$/),
    'PATCH /workspaces/ws-legacy/relationships/remote-state-consumers',
  ]);
  expect((await undo(world)).stdout).toContain('0 to create, 0 to update, 0 to delete');
});

test('undo reverts the undo that recovered a workspace, and recovers it once more', async () => {
  const world = await deleted();
  expect((await undo(world, '--journal', 'undo.jsonl')).code).toBe(0);
  const again = await world.attune('undo', 'undo.jsonl', '--yes', '--quiet', '--journal', 'again.jsonl');
  expect(again.code, again.stderr).toBe(0);
  const last = await world.attune('undo', 'again.jsonl', '--yes', '--quiet');
  expect(last.code, last.stderr).toBe(0);
  expect(await idOf(world)).toBe('ws-legacy');
  expect(await stateOf(world)).toEqual(world.before);
});

test('a recovered workspace gets the settings that it has no longer', async () => {
  const locked: Seed = {
    ...seed,
    workspaces: { legacy: { id: 'ws-legacy', project: 'One', description: 'Unknown use' }, reader: {} },
  };
  const world = await deleted(locked);
  const settings = { data: { type: 'workspaces', attributes: { description: 'other' } } };
  const id = await itemId(world);
  await sendTo(world.service, 'PUT', `/recoverable-items/${id}/actions/recover`);
  await sendTo(world.service, 'PATCH', '/workspaces/ws-legacy', settings);
  await sendTo(world.service, 'POST', '/workspaces/ws-legacy/actions/safe-delete');
  const { code, stderr } = await undo(world);
  expect(code, stderr).toBe(0);
  expect(await stateOf(world)).toEqual(world.before);
});

describe('refused recoveries', () => {
  test('a workspace that has expired is created again, and its state is reported as lost', async () => {
    const world = await deleted();
    await sendTo(world.service, 'PUT', '/_emulator/clock', { ahead: 8 * 86_400 });
    const { code, stderr } = await undo(world);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      'warning[not-recovered]: workspace.legacy is not recovered: it has expired; it is created again, and its state, runs and variables are lost',
    );
    expect(await idOf(world)).not.toBe('ws-legacy');
  });

  test('a workspace that was permanently deleted is created again', async () => {
    const world = await deleted();
    const id = await itemId(world);
    await sendTo(world.service, 'PUT', `/recoverable-items/${id}/actions/permanently-delete`);
    const { code, stderr } = await undo(world);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('it was permanently deleted, so it cannot be recovered');
    expect(await idOf(world)).not.toBe('ws-legacy');
  });

  test('undo goes on as without recovery if the item was already recovered', async () => {
    const detail = 'Recoverable item has already been recovered';
    const world = await deleted();
    world.service.setFaults([{ kind: 'status', status: 422, method: 'PUT', path: items, detail }]);
    const { code, stderr } = await undo(world, '--journal', 'undo.jsonl');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('workspace.legacy is not recovered: it was already recovered;');
    expect(await idOf(world)).not.toBe('ws-legacy');
    world.service.setFaults([]);
    const back = await world.attune('undo', 'undo.jsonl', '--yes', '--quiet');
    expect(back.code, back.stderr).toBe(0);
  });

  test.each([
    [422, 'Recovery failed', 'check that its project exists'],
    [404, undefined, 'use a token that may manage recoverable items'],
  ])('a recovery that is refused with %i is a failure, and creates nothing', async (status, detail, hint) => {
    const world = await deleted();
    world.service.setFaults([
      { kind: 'status', status, method: 'PUT', path: items, ...(detail && { detail }) },
    ]);
    const { code, stdout } = await undo(world);
    expect(code).toBe(1);
    expect(stdout).toContain(hint);
    expect(world.service.requests.map(({ method, path }) => `${method} ${path}`)).not.toContain(
      'POST /organizations/acme/workspaces',
    );
  });

  test('undo warns if this token may not list what the service keeps', async () => {
    const world = await deleted();
    world.service.setFaults([{ kind: 'status', status: 404, path: '/organizations/acme/recoverable-items' }]);
    const { code, stderr } = await world.attune('undo', 'run.jsonl');
    expect(code).toBe(0);
    expect(stderr).toContain('use a token that may manage recoverable items');
  });

  test.each(['cut-after', 'cut-before'] as const)(
    'a recovery whose answer is lost is done once: %s',
    async (kind) => {
      const world = await deleted();
      world.service.setFaults([{ kind, method: 'PUT', path: items, nth: 1 }]);
      const { code, stderr } = await undo(world);
      expect(code, stderr).toBe(0);
      expect(await idOf(world)).toBe('ws-legacy');
      expect(await stateOf(world)).toEqual(world.before);
    },
  );
});

describe('what is shown of a delete', () => {
  test('a plan shows which deletes are recoverable, with one request, and the result until when', async () => {
    const world = await worldWith(files, { seed, dialect: 'terraform' });
    const plan = await world.attune('plan');
    expect(plan.stdout).toMatch(/- workspace\.legacy +safe delete, recoverable {2}attune\.yaml:5/);
    const read = world.service.requests.filter(({ path }) => path === '/organizations/acme');
    expect(read).toHaveLength(1);
    const { stdout } = await world.attune('apply', '--yes', '--quiet', '--format', 'json');
    const change = JSON.parse(stdout).changes.find((one: { action: string }) => one.action === 'delete');
    expect(change).toMatchObject({
      recovery: 'recoverable',
      recoverableUntil: expect.stringMatching(/^\d{4}-/),
    });
  });
});
