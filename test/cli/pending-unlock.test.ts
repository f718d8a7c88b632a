import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';

test('an unlock waits half a minute for a pending state version', async () => {
  const clock = jumpingClock(0.5);
  const world = await worldWith(
    'attune: 1\norganization: acme\nworkspaces: {app: {lock: false}}\n',
    { seed: { workspaces: { app: { locked: true, state: { intermediate: 'pending' } } } } },
    { clock },
  );
  const { code } = await world.attune('apply', '--yes');
  expect(code).toBe(1);
  expect(world.writes()).toHaveLength(9);
});
