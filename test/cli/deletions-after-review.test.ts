import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';

test('undo does not delete a workspace that another user configured while it asked', async () => {
  const yaml = 'attune: 1\norganization: acme\nworkspaces: {new: {description: ours}}\n';
  const answer = async () => {
    const path = '/organizations/acme/workspaces/new';
    await sendTo(world.service, 'PATCH', path, workspaceBody({ description: 'theirs' }));
    world.service.clearRequests();
    return 'yes';
  };
  const world: World = await worldWith(yaml, { seed: { workspaces: {} } }, { answer });
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const { code, stdout } = await world.attune('undo', '--last');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stdout).toContain('(description was "ours" and is "theirs")');
});

test('workspace unlock --force leaves a lock that another user set while it asked', async () => {
  const seed = { workspaces: { kims: { id: 'ws-kims', locked: { by: 'user-kim', reason: 'incident' } } } };
  const clock = jumpingClock();
  const answer = async () => {
    await clock.sleep(4000);
    await sendTo(world.service, 'POST', '/workspaces/ws-kims/actions/force-unlock');
    await sendTo(world.service, 'POST', '/workspaces/ws-kims/actions/lock', { reason: 'another incident' });
    world.service.clearRequests();
    return 'yes';
  };
  const world: World = await worldWith('attune: 1\norganization: acme\n', { seed }, { clock, answer });
  const { code, stdout } = await world.attune('workspace', 'unlock', 'k*', '--force');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stdout).toContain('workspace.kims changed after the plan was made (its lock is another one now)');
});
