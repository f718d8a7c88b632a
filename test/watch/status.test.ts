import { expect, test } from 'vitest';
import type { CycleOutcome } from '../../src/run/cycle/outcome.ts';
import { createStatus } from '../../src/watch/status.ts';

/** A cycle over organizations, of which the named ones fail. */
function cycle(...failing: readonly string[]): CycleOutcome {
  return {
    refused: [],
    organizations: ['a', 'b', 'c', 'd', 'e'].map((organization) => ({
      organization,
      isSuccess: !failing.includes(organization),
      errors: [],
      oldestReadAge: () => 0,
    })),
  };
}

const all = ['a', 'b', 'c', 'd', 'e'];

test('a watch is ready although the token of one of five organizations is bad', () => {
  const status = createStatus('drift');
  expect(status.isReady()).toBe(false);
  for (let count = 0; count < 5; count += 1) {
    status.cycleEnded(cycle('c'), new Date(0));
    expect(status.isReady()).toBe(true);
  }
  expect(status.failures()).toBe(5);
});

test('a watch is unready before a cycle has worked for an organization, and after three that worked for none', () => {
  const status = createStatus('drift');
  status.cycleEnded(cycle(...all), new Date(0));
  expect(status.isReady()).toBe(false);
  status.cycleEnded(cycle(), new Date(0));
  const ready = [1, 2, 3].map(() => {
    status.cycleEnded(cycle(...all), new Date(0));
    return status.isReady();
  });
  expect(ready).toEqual([true, true, false]);
  status.cycleEnded(
    { refused: [{ diagnostics: [] }], organizations: [] } as unknown as CycleOutcome,
    new Date(0),
  );
  expect(status.isReady()).toBe(false);
  status.cycleEnded(cycle('a', 'b', 'c', 'd'), new Date(0));
  expect(status.isReady()).toBe(true);
});
