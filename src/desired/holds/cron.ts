import { Cron } from 'croner';
import type { Period } from '../../model/hold.ts';
import { day } from '../../model/time.ts';

/** More periods in a row are one without an end, and so are periods in a row that last longer. */
const mostMerged = 5000;
const longestMerged = 366 * day;
/** Any time serves to find mistakes in an expression; this one is before all others that are asked for. */
const anyTime = Date.UTC(2026, 0, 1);
const second = 1000;
const minute = 60 * second;

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
export const readCron: ReadCron = (expression, options) => {
  const parsed = parse(expression, options.timezone);
  if (typeof parsed === 'string') return { problem: parsed };
  const { start, length } = hourly(expression, options);
  const cron = start === expression ? parsed : (parse(start, options.timezone) as Cron);
  const next = (time: number) => cron.nextRun(new Date(time))?.getTime();
  const first = next(anyTime);
  if (first === undefined) return { problem: 'it never starts' };
  if (endOf(first, length, cron).isCut) return { problem: 'its periods leave no time between them' };
  return (time) => {
    // The end is not part of a period, so one that started this long ago is over.
    const start = next(time - length);
    return start === undefined ? undefined : { start, end: endOf(start, length, cron).end };
  };
};

/**
 * Periods that cover the time from the first to the last start in an hour are one of each hour: there are fewer to merge.
 * Those of a single hour stay: a single start is only in the first of two equal hours. So do all of a timezone whose
 * daylight saving time shifts by half an hour, as an hour there can last 90 minutes.
 */
function hourly(
  expression: string,
  { length, timezone }: Parameters<ReadCron>[1],
): { readonly start: string; readonly length: number } {
  const [, step = '1', rest] = /^\*(?:\/(\d+))?(\s+(?!\d+\s).*)$/.exec(expression.trim()) ?? [];
  const minutes = Number(step);
  if (rest === undefined || minutes === 0 || length < minutes * minute || !hasWholeHours(timezone))
    return { start: expression, length };
  const last = Math.floor(59 / minutes) * minutes;
  return { start: `0${rest}`, length: length + last * minute };
}

/** Whether the hours of a timezone begin at the same minute in winter and in summer. */
function hasWholeHours(timezone: string): boolean {
  const [january, july] = [1, 7].map((month) =>
    new Cron(`0 0 1 ${month} *`, { timezone, paused: true }).nextRun()?.getUTCMinutes(),
  );
  return january === july;
}

function parse(expression: string, timezone: string): Cron | string {
  try {
    return new Cron(expression, { timezone, paused: true, mode: '5-part' });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return message.replace(/^CronPattern: /, '').replace(/^./, (letter) => letter.toLowerCase());
  }
}

function endOf(first: number, length: number, cron: Cron): { readonly end: number; readonly isCut: boolean } {
  let last = first;
  for (let merged = 0; merged < mostMerged && last - first < longestMerged; merged++) {
    const [latest] = cron.previousRuns(1, new Date(last + length + second));
    if (latest === undefined || latest.getTime() <= last) return { end: last + length, isCut: false };
    last = latest.getTime();
  }
  return { end: last + length, isCut: true };
}
