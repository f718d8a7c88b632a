import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {app: {description: words}}\n';
const seed = { workspaces: { app: {} } };

test('a refused connection is retried for the given time and then fails', async () => {
  const clock = jumpingClock(0.5);
  const world = await worldWith(yaml, { seed }, { clock, address: 'http://127.0.0.1:1' });
  const { code, stderr } = await world.attune('plan', '--retry-for', '20');
  expect(code).toBe(1);
  expect(stderr).toContain('127.0.0.1:1 is unavailable; retrying for up to 20 s');
  expect(stderr).toContain('the connection was refused');
  const waited = clock.slept.reduce((sum, milliseconds) => sum + milliseconds, 0);
  expect(Math.round(waited)).toBe(20_000);
});

test('an unlock waits half a minute for a pending state version, whatever --retry-for, and the service counts as available', async () => {
  const clock = jumpingClock(0.5);
  const world = await worldWith(
    'attune: 1\norganization: acme\nworkspaces: {app: {lock: false}}\n',
    { seed: { workspaces: { app: { locked: true, state: { intermediate: 'pending' } } } } },
    { clock },
  );
  const { code, stderr } = await world.attune('apply', '--yes', '--retry-for', '600');
  expect(code).toBe(1);
  expect(world.writes()).toHaveLength(9);
  expect(stderr).not.toContain('unavailable');
  expect(
    stderr.match(/^the newest state is still being saved; trying again: POST .* answered 503: /gm),
  ).toHaveLength(1);
});
