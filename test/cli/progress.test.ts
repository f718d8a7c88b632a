import { expect, test } from 'vitest';
import { createProgress } from '../../src/cli/session.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { rowsIn } from '../support/rows.ts';

interface Flags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly isTerminal?: boolean;
  readonly columns?: number;
}
/** `[begin, title, total]`, `[pass, milliseconds]`, `[step]`, `[observe, event]` or `[end]`. */
type Step = readonly ['begin' | 'pass' | 'step' | 'observe' | 'end', ...rest: readonly unknown[]];

function written(steps: readonly Step[], { isTerminal = false, columns = 80, ...flags }: Flags): string[] {
  const lines: string[] = [];
  const clock = jumpingClock();
  const stderr = { write: (text: string) => void lines.push(text), isTerminal, columns };
  const progress = { ...createProgress({ stderr }, flags, clock.now), pass: clock.pass };
  for (const [step, ...rest] of steps) (progress[step] as (...given: readonly unknown[]) => void)(...rest);
  return lines;
}

test.each(rowsIn<[string, Flags, Step[], string[]]>`
- [without a terminal prints nothing for short work, {}, [[begin, 'acme: reading'], [observe, {type: queued}], [observe, {type: finished}], [end]], []]
- [without a terminal prints a plain line every two seconds for long work, {}, [[begin, 'acme: applying', 10], [pass, 1000], [step], [pass, 1000], [step], [pass, 1000], [step], [pass, 1000], [step], [pass, 1000], [step], [end]],
   ["acme: applying: 2 of 10, 1/s, 8 s left\n", "acme: applying: 4 of 10, 1/s, 6 s left\n"]]
- [without a terminal prints a long wait when it begins and once for all waiting requests, {}, [[begin, 'acme: reading'], [observe, {type: queued}], [observe, {type: throttled, wait: 30000}], [observe, {type: throttled, wait: 30150}]],
   ["acme: reading: 0 of 1, 0/s, waiting 30 s for the rate limit\n"]]
- [without a terminal does not print a short wait, {}, [[begin, 'acme: reading'], [observe, {type: throttled, wait: 900}]], []]
- [on a terminal is one line that is redrawn and then removed, {isTerminal: true}, [[begin, 'acme: applying', 2], [pass, 50], [step], [pass, 50], [step], [end]],
   ["\r\e[2Kacme: applying: 0 of 2, 0/s", "\r\e[2Kacme: applying: 2 of 2, 20/s, 0 s left", "\r\e[2K"]]
- [on a terminal fits into its width, {isTerminal: true, columns: 12}, [[begin, 'acme: applying', 2]], ["\r\e[2Kacme: apply"]]
- [with --quiet prints nothing on a terminal, {quiet: true, isTerminal: true}, [[begin, 'acme: reading'], [pass, 10000], [observe, {type: throttled, wait: 60000}], [step], [end]], []]
- [with --quiet prints nothing without a terminal, {quiet: true}, [[begin, 'acme: reading'], [pass, 10000], [observe, {type: throttled, wait: 60000}], [step], [end]], []]
- [with --verbose prints each request, {verbose: true, isTerminal: true}, [[begin, 'acme: reading'], [observe, {type: attempt, method: GET, path: /x, status: 200, milliseconds: 12.4}],
   [observe, {type: attempt, method: GET, path: /y, milliseconds: 30}], [observe, {type: retry, method: GET, path: /y, wait: 125.4}]], ["GET /x 200 12 ms\n", "GET /y no answer 30 ms\n", "GET /y again in 125 ms\n"]]
`)('progress %s', (_how, flags, steps, expected) => {
  expect(written(steps, flags)).toEqual(expected);
});
