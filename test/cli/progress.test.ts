import { expect, test } from 'vitest';
import { createProgress } from '../../src/cli/session.ts';
import { jumpingClock } from '../support/fake-clock.ts';

function progressOn(
  flags: { quiet?: boolean; verbose?: boolean; isTerminal?: boolean; columns?: number } = {},
) {
  const written: string[] = [];
  const clock = jumpingClock();
  const { isTerminal = false, columns = 80, ...rest } = flags;
  const stderr = { write: (text: string) => void written.push(text), isTerminal, columns };
  return { progress: createProgress({ stderr }, rest, clock.now), clock, written };
}

test('progress without a terminal prints nothing for short work', () => {
  const { progress, written } = progressOn();
  progress.begin('acme: reading');
  progress.observe({ type: 'queued' });
  progress.observe({ type: 'finished' });
  progress.end();
  expect(written).toEqual([]);
});

test('progress without a terminal prints a plain line every two seconds for long work', () => {
  const { progress, clock, written } = progressOn();
  progress.begin('acme: applying', 10);
  for (let call = 0; call < 5; call++) {
    clock.pass(1000);
    progress.step();
  }
  progress.end();
  expect(written).toEqual([
    'acme: applying: 2 of 10, 1/s, 8 s left\n',
    'acme: applying: 4 of 10, 1/s, 6 s left\n',
  ]);
});

test('progress without a terminal prints a long wait when it begins, and once for all waiting requests', () => {
  const { progress, written } = progressOn();
  progress.begin('acme: reading');
  progress.observe({ type: 'queued' });
  progress.observe({ type: 'throttled', wait: 30_000 });
  progress.observe({ type: 'throttled', wait: 30_150 });
  expect(written).toEqual(['acme: reading: 0 of 1, 0/s, waiting 30 s for the rate limit\n']);
});

test('progress without a terminal does not print a short wait', () => {
  const { progress, written } = progressOn();
  progress.begin('acme: reading');
  progress.observe({ type: 'throttled', wait: 900 });
  expect(written).toEqual([]);
});

test('progress on a terminal is one line that is redrawn and then removed', () => {
  const { progress, clock, written } = progressOn({ isTerminal: true });
  progress.begin('acme: applying', 2);
  clock.pass(50);
  progress.step();
  clock.pass(50);
  progress.step();
  progress.end();
  expect(written).toEqual([
    '\r\x1b[2Kacme: applying: 0 of 2, 0/s',
    '\r\x1b[2Kacme: applying: 2 of 2, 20/s, 0 s left',
    '\r\x1b[2K',
  ]);
});

test('the progress line fits into the width of the terminal', () => {
  const { progress, written } = progressOn({ isTerminal: true, columns: 12 });
  progress.begin('acme: applying', 2);
  expect(written).toEqual(['\r\x1b[2Kacme: apply']);
});

test('--quiet prints no progress', () => {
  for (const isTerminal of [true, false]) {
    const { progress, clock, written } = progressOn({ quiet: true, isTerminal });
    progress.begin('acme: reading');
    clock.pass(10_000);
    progress.observe({ type: 'throttled', wait: 60_000 });
    progress.step();
    progress.end();
    expect(written).toEqual([]);
  }
});

test('--verbose prints each request', () => {
  const { progress, written } = progressOn({ verbose: true, isTerminal: true });
  progress.begin('acme: reading');
  progress.observe({ type: 'attempt', method: 'GET', path: '/x', status: 200, milliseconds: 12.4 });
  progress.observe({ type: 'attempt', method: 'GET', path: '/y', status: undefined, milliseconds: 30 });
  progress.observe({ type: 'retry', method: 'GET', path: '/y', wait: 125.4 });
  expect(written).toEqual(['GET /x 200 12 ms\n', 'GET /y no answer 30 ms\n', 'GET /y again in 125 ms\n']);
});
