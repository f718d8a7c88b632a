import { Cron } from 'croner';
import type { Period } from '../../model/hold.ts';

/** More periods in a row are one without an end. */
const mostMerged = 1000;
/** Any time serves to find mistakes in an expression; this one is before all others that are asked for. */
const anyTime = Date.UTC(2026, 0, 1);

/** Periods of one length that start by a cron expression. */
export type ReadCron = (
  expression: string,
  options: { readonly length: number; readonly timezone: string },
) => CronPeriods;

/** Gives the period that a time is in, else the next one; or why the expression is wrong. */
export type CronPeriods = ((time: number) => Period | undefined) | { readonly problem: string };

/**
 * Reads a cron expression. A start in an hour that daylight saving time skips is the end of that hour, and one in an hour
 * that exists twice is the first of both. Periods without a time between them are one.
 */
export const readCron: ReadCron = (expression, { length, timezone }) => {
  const cron = parse(expression, timezone);
  if (typeof cron === 'string') return { problem: cron };
  const next = (time: number) => cron.nextRun(new Date(time))?.getTime();
  if (next(anyTime) === undefined) return { problem: 'it never starts' };
  const periodAt = (time: number): Period | undefined => {
    // The end is not part of a period, so one that started this long ago is over.
    const start = next(time - length);
    return start === undefined
      ? undefined
      : { start, end: endOf(start, length, next) ?? Number.MAX_SAFE_INTEGER };
  };
  if (endOf(next(anyTime) ?? anyTime, length, next) === undefined)
    return { problem: 'its periods leave no time between them' };
  return periodAt;
};

function parse(expression: string, timezone: string): Cron | string {
  try {
    return new Cron(expression, { timezone, paused: true, mode: '5-part' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.replace(/^CronPattern: /, '').replace(/^./, (letter) => letter.toLowerCase());
  }
}

function endOf(
  first: number,
  length: number,
  next: (time: number) => number | undefined,
): number | undefined {
  let last = first;
  for (let merged = 0; merged < mostMerged; merged++) {
    const following = next(last);
    if (following === undefined || following > last + length) return last + length;
    last = following;
  }
  return undefined;
}
