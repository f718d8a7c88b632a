import { Cron } from 'croner';
import type { Period } from '../../model/rules.ts';
import { remembered } from '../../model/value.ts';

/** The library takes a tenth of a millisecond to find a start. */
const mostMerged = 400;
/** Any time serves to find mistakes in an expression; this one is before all others that are asked for. */
const anyTime = Date.UTC(2026, 0, 1);
const second = 1000;

export type ReadCron = (
  expression: string,
  options: { readonly length: number; readonly timezone: string },
) => CronPeriods;

type CronPeriods =
  | ((time: number) => Period | undefined)
  | { readonly problem: string; readonly hint?: string };

/**
 * Reads a cron expression. A start in an hour that daylight saving time skips is the end of that hour. Periods without a time
 * between them are one.
 */
export const readCron: ReadCron = (expression, { length, timezone }) => {
  const cron = parse(expression, timezone);
  if (typeof cron === 'string') return { problem: cron };
  const next = (time: number) => cron.nextRun(new Date(time))?.getTime();
  const latest = (time: number) => cron.previousRuns(1, new Date(time))[0]?.getTime();
  const endOf = (first: number) => {
    let last = first;
    for (let merged = 0; merged < mostMerged; merged++) {
      const start = latest(last + length + second);
      if (start === undefined || start <= last) return last + length;
      last = start;
    }
    return undefined;
  };
  const first = next(anyTime);
  if (first === undefined) return { problem: 'it never starts' };
  if (endOf(first) === undefined)
    return {
      problem: `more than ${mostMerged} of its periods leave no time between them`,
      hint: 'write fewer starts, and a longer "for"',
    };
  return remembered((time) => {
    // The end is not part of a period, so one that started this long ago is over.
    const start = next(time - length);
    return start === undefined ? undefined : { start, end: endOf(start) ?? start + length };
  });
};

function parse(expression: string, timezone: string): Cron | string {
  try {
    return new Cron(expression, { timezone, paused: true, mode: '5-part' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.replace(/^CronPattern: /, '').replace(/^./, (letter) => letter.toLowerCase());
  }
}
