import { expect, test } from 'vitest';
import { catchInterrupts } from '../../src/cli/io.ts';

function stage() {
  const handlers = new Map<string, () => void>();
  const ended: (string | number)[] = [];
  let now = 5000;
  const interrupts = catchInterrupts(() => ended.push('statement'), {
    on: (signal, handler) => void handlers.set(signal, handler),
    off: (signal) => void handlers.delete(signal),
    onOrphaned: (handler) => {
      handlers.set('orphaned', handler);
      return () => handlers.delete('orphaned');
    },
    exit: (code) => void ended.push(code),
    now: () => now,
  });
  return {
    interrupts,
    ended,
    handlers,
    send: (signal: string, after = 0) => {
      now += after;
      handlers.get(signal)?.();
    },
  };
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  // Ctrl-Break of Windows, where SIGTERM cannot be caught.
  ['SIGBREAK', 130],
])('%s during calls stops the run after the running calls, with exit code %i', (signal, code) => {
  const { interrupts, ended, send } = stage();
  expect([interrupts.stop.aborted, interrupts.exitCode()]).toEqual([false, undefined]);
  send(signal);
  expect([interrupts.stop.aborted, interrupts.exitCode(), ended]).toEqual([true, code, []]);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('SIGINT and %s within a second are one signal', (second) => {
  const { interrupts, ended, send } = stage();
  send('SIGINT');
  send(second, 999);
  expect([interrupts.exitCode(), ended]).toEqual([130, []]);
});

test('another signal a second after the first prints what was written and ends the process', () => {
  const { ended, send } = stage();
  send('SIGINT');
  send('SIGINT', 400);
  send('SIGTERM', 600);
  expect(ended).toEqual(['statement', 143]);
});

test('the end of the shell of npm stops the run like SIGTERM, and ends no run that a signal stops', () => {
  const { interrupts, ended, send } = stage();
  send('orphaned');
  expect(interrupts.exitCode()).toBe(143);
  send('orphaned', 2000);
  expect(ended).toEqual([]);
});

test('no signal is caught after the release', () => {
  const { interrupts, handlers } = stage();
  interrupts.release();
  expect(handlers.size).toBe(0);
});
