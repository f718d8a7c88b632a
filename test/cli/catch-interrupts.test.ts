import { expect, test } from 'vitest';
import { catchInterrupts } from '../../src/cli/io.ts';
import { rowsIn } from '../support/rows.ts';

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

test.each(rowsIn<[string, [signal: string, after?: number][], number, unknown[]]>`
- [SIGINT during calls stops the run after the running calls, [[SIGINT]], 130, []]
- [SIGTERM during calls stops the run after the running calls, [[SIGTERM]], 143, []]
- [SIGHUP during calls stops the run after the running calls, [[SIGHUP]], 129, []]
# Ctrl-Break of Windows, where SIGTERM cannot be caught.
- [SIGBREAK during calls stops the run after the running calls, [[SIGBREAK]], 130, []]
- [SIGINT twice within a second is one signal, [[SIGINT], [SIGINT, 999]], 130, []]
- [SIGINT and SIGTERM within a second are one signal, [[SIGINT], [SIGTERM, 999]], 130, []]
- [SIGINT and SIGHUP within a second are one signal, [[SIGINT], [SIGHUP, 999]], 130, []]
- [another signal a second after the first prints what was written and ends the process, [[SIGINT], [SIGINT, 400], [SIGTERM, 600]], 130, [statement, 143]]
- ["the end of the shell of npm stops the run like SIGTERM, and ends no run that a signal stops", [[orphaned], [orphaned, 2000]], 143, []]
`)('%s', (_what, signals, code, ends) => {
  const { interrupts, ended, send } = stage();
  expect([interrupts.stop.aborted, interrupts.exitCode()]).toEqual([false, undefined]);
  for (const [signal, after] of signals) send(signal, after);
  expect([interrupts.stop.aborted, interrupts.exitCode(), ended]).toEqual([true, code, ends]);
});

test('no signal is caught after the release', () => {
  const { interrupts, handlers } = stage();
  interrupts.release();
  expect(handlers.size).toBe(0);
});
