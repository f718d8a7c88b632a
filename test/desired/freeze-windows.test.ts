import { describe, expect, test } from 'vitest';
import type { FreezeWindow } from '../../src/model/rules.ts';
import { printTime } from '../../src/model/value.ts';
import { loadFiles, rootText } from './load-files.ts';

async function windowOf(yaml: string): Promise<FreezeWindow> {
  const { configurations, diagnostics } = await loadFiles({ 'attune.yaml': rootText(`freeze: [${yaml}]\n`) });
  expect(diagnostics).toEqual([]);
  const [window] = configurations[0]?.holds?.freeze ?? [];
  if (window === undefined) throw new Error('the window was not read');
  return window;
}

/** The period that a time is in, or the next one. */
function periodAt({ periodAt }: FreezeWindow, time: string): string | undefined {
  const period = periodAt(Date.parse(time));
  return period && `${printTime(period.start)} ${printTime(period.end)}`;
}

describe('a freeze window that is repeated by a cron expression', () => {
  test('a period includes its start and not its end', async () => {
    const weekend = await windowOf(
      '{cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin, reason: weekend}',
    );
    const [first, second] = [
      '2026-11-27T17:00:00Z 2026-11-30T05:00:00Z',
      '2026-12-04T17:00:00Z 2026-12-07T05:00:00Z',
    ];
    expect(periodAt(weekend, '2026-11-27T16:59:59.999Z')).toBe(first);
    expect(periodAt(weekend, '2026-11-27T17:00:00Z')).toBe(first);
    expect(periodAt(weekend, '2026-11-30T04:59:59.999Z')).toBe(first);
    expect(periodAt(weekend, '2026-11-30T05:00:00Z')).toBe(second);
  });

  test('periods without a time between them are one', async () => {
    const nights = await windowOf('{cron: "0 0,12 * * 6", for: 12h, reason: saturday}');
    expect(periodAt(nights, '2026-11-28T01:00:00Z')).toBe('2026-11-28T00:00:00Z 2026-11-29T00:00:00Z');
  });

  test.each([
    ['*/7 9 * * *', '6m', '2026-11-23T09:06:00Z', '2026-11-23T09:07:00Z 2026-11-23T09:13:00Z'],
    ['*/7 9 * * *', '7m', '2026-11-23T09:00:00Z', '2026-11-23T09:00:00Z 2026-11-23T10:03:00Z'],
    ['0 * * * 0,6', '1h', '2026-11-20T12:00:00Z', '2026-11-21T00:00:00Z 2026-11-23T00:00:00Z'],
    ['0 */12 1-28 * *', '2d', '2026-11-30T12:00:00Z', '2026-12-01T00:00:00Z 2026-12-30T12:00:00Z'],
  ])('periods in a row end together: %s for %s', async (cron, length, time, expected) => {
    const window = await windowOf(`{cron: "${cron}", for: ${length}, reason: x}`);
    expect(periodAt(window, time)).toBe(expected);
  });

  test('the time zone is UTC by default', async () => {
    const evening = await windowOf('{cron: "0 18 * * *", for: 1h, reason: evening}');
    expect(periodAt(evening, '2026-07-01T00:00:00Z')).toBe('2026-07-01T18:00:00Z 2026-07-01T19:00:00Z');
  });

  // In 2026, clocks change on March 29 and October 25 in Berlin, and on March 8 and November 1 in New York.
  test.each([
    ['the hour does not exist', 'Europe/Berlin', '30 2', '2026-03-29', '2026-03-29T01:00:00Z'],
    ['the hour does not exist', 'America/New_York', '30 2', '2026-03-08', '2026-03-08T07:00:00Z'],
    ['the hour exists twice', 'Europe/Berlin', '30 2', '2026-10-25', '2026-10-25T00:30:00Z'],
    ['the hour exists twice', 'America/New_York', '30 1', '2026-11-01', '2026-11-01T05:30:00Z'],
  ])('a window starts once where %s: %s', async (_, timezone, at, date, start) => {
    const window = await windowOf(`{cron: "${at} * * *", for: 6h, timezone: ${timezone}, reason: night}`);
    const end = printTime(Date.parse(start) + 6 * 3_600_000);
    expect(periodAt(window, `${date}T00:00:00Z`)).toBe(`${start} ${end}`);
    // The second occurrence of the hour starts nothing.
    expect(periodAt(window, printTime(Date.parse(start) + 3_600_000))).toBe(`${start} ${end}`);
    expect(periodAt(window, end)?.slice(0, 10)).not.toBe(date);
  });

  test('each start at a fixed hour that exists twice is in the first of both', async () => {
    const hour = await windowOf(
      '{cron: "0,30 2,3 * * *", for: 20m, timezone: Europe/Berlin, reason: backup}',
    );
    expect(periodAt(hour, '2026-10-25T00:20:00Z')).toBe('2026-10-25T00:30:00Z 2026-10-25T00:50:00Z');
    expect(periodAt(hour, '2026-10-25T00:50:00Z')).toBe('2026-10-25T02:00:00Z 2026-10-25T02:20:00Z');
    const whole = await windowOf('{cron: "*/30 2 * * *", for: 30m, timezone: Europe/Berlin, reason: backup}');
    expect(periodAt(whole, '2026-10-25T00:00:00Z')).toBe('2026-10-25T00:00:00Z 2026-10-25T01:00:00Z');
  });

  test('each start at one of the hours of a range that exists twice begins a period', async () => {
    const night = await windowOf('{cron: "0 1-5 * * *", for: 1h, timezone: Europe/Berlin, reason: night}');
    expect(periodAt(night, '2026-10-24T12:00:00Z')).toBe('2026-10-24T23:00:00Z 2026-10-25T05:00:00Z');
  });

  test('a window keeps its length while the clocks change', async () => {
    const weekend = await windowOf(
      '{cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin, reason: weekend}',
    );
    expect(periodAt(weekend, '2026-10-25T12:00:00Z')).toBe('2026-10-23T16:00:00Z 2026-10-26T04:00:00Z');
    expect(periodAt(weekend, '2026-03-29T12:00:00Z')).toBe('2026-03-27T17:00:00Z 2026-03-30T05:00:00Z');
  });
});

describe('a freeze window between two times', () => {
  test('a day begins and ends in UTC', async () => {
    const window = await windowOf('{from: 2026-12-20, to: 2026-12-31, reason: year end}');
    const period = '2026-12-20T00:00:00Z 2027-01-01T00:00:00Z';
    expect(periodAt(window, '2026-01-01T00:00:00Z')).toBe(period);
    expect(periodAt(window, '2026-12-31T23:59:59Z')).toBe(period);
    expect(periodAt(window, '2027-01-01T00:00:00Z')).toBeUndefined();
  });

  test('a time has its own zone', async () => {
    const window = await windowOf('{from: 2026-12-20T18:00:00+01:00, to: 2027-01-04T06:00+01:00, reason: x}');
    expect(periodAt(window, '2026-12-24T00:00:00Z')).toBe('2026-12-20T17:00:00Z 2027-01-04T05:00:00Z');
  });
});
