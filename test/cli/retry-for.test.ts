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
