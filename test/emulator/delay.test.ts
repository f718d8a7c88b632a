import { expect, test } from 'vitest';
import { waitUntil } from '../../src/emulator/server.ts';

test('waitUntil resolves when the clock reaches the deadline, and not before', async () => {
  let now = 0;
  let isOver = false;
  const waiting = waitUntil(2, () => now).then(() => {
    isOver = true;
  });
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
  expect(isOver).toBe(false);
  now = 2;
  await waiting;
});
