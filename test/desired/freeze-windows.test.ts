import { expect, test } from 'vitest';
import { printTime } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';
import { loadFiles, rootText } from './load-files.ts';

/** For each time the period that it is in, or the next one: its start and its end, or nothing. */
type Periods = Readonly<Record<string, string | null>>;

// In 2026, clocks change on March 29 and October 25 in Berlin, and on March 8 and November 1 in New York.
test.each(rowsIn<[string, string, Periods]>`
- [includes its start and not its end, '{cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin}', {
    '2026-11-27T16:59:59.999Z': '2026-11-27T17:00:00Z 2026-11-30T05:00:00Z',
    '2026-11-27T17:00:00Z': '2026-11-27T17:00:00Z 2026-11-30T05:00:00Z',
    '2026-11-30T04:59:59.999Z': '2026-11-27T17:00:00Z 2026-11-30T05:00:00Z',
    '2026-11-30T05:00:00Z': '2026-12-04T17:00:00Z 2026-12-07T05:00:00Z'}]
- [keeps its length while the clocks change, '{cron: "0 18 * * 5", for: 60h, timezone: Europe/Berlin}', {
    '2026-10-25T12:00:00Z': '2026-10-23T16:00:00Z 2026-10-26T04:00:00Z',
    '2026-03-29T12:00:00Z': '2026-03-27T17:00:00Z 2026-03-30T05:00:00Z'}]
- [is joined with the next one, '{cron: "0 0,12 * * 6", for: 12h}', {'2026-11-28T01:00:00Z': '2026-11-28T00:00:00Z 2026-11-29T00:00:00Z'}]
- [is not joined with a later one, '{cron: "*/7 9 * * *", for: 6m}', {'2026-11-23T09:06:00Z': '2026-11-23T09:07:00Z 2026-11-23T09:13:00Z'}]
- [is joined with all in a row, '{cron: "*/7 9 * * *", for: 7m}', {'2026-11-23T09:00:00Z': '2026-11-23T09:00:00Z 2026-11-23T10:03:00Z'}]
- [is joined over two days, '{cron: "0 * * * 0,6", for: 1h}', {'2026-11-20T12:00:00Z': '2026-11-21T00:00:00Z 2026-11-23T00:00:00Z'}]
- [is joined over a month, '{cron: "0 */12 1-28 * *", for: 2d}', {'2026-11-30T12:00:00Z': '2026-12-01T00:00:00Z 2026-12-30T12:00:00Z'}]
- [ends after those that are joined if too many are in a row, '{cron: "0 * 1,10-31 * *", for: 1h}', {'2026-12-10T00:30:00Z': '2026-12-10T00:00:00Z 2026-12-26T17:00:00Z'}]
- [of several starts in an hour that exists twice begins at each of them, '{cron: "0,30 2 * * *", for: 10m, timezone: Europe/Berlin}', {
    '2026-10-25T00:15:00Z': '2026-10-25T00:30:00Z 2026-10-25T00:40:00Z',
    '2026-10-25T00:45:00Z': '2026-10-25T01:00:00Z 2026-10-25T01:10:00Z'}]
- [is in UTC by default, '{cron: "0 18 * * *", for: 1h}', {'2026-07-01T00:00:00Z': '2026-07-01T18:00:00Z 2026-07-01T19:00:00Z'}]
- [starts once where an hour does not exist in Berlin, '{cron: "30 2 * * *", for: 6h, timezone: Europe/Berlin}', {
    '2026-03-29T00:00:00Z': '2026-03-29T01:00:00Z 2026-03-29T07:00:00Z',
    '2026-03-29T02:00:00Z': '2026-03-29T01:00:00Z 2026-03-29T07:00:00Z',
    '2026-03-29T07:00:00Z': '2026-03-30T00:30:00Z 2026-03-30T06:30:00Z'}]
- [starts once where an hour does not exist in New York, '{cron: "30 2 * * *", for: 6h, timezone: America/New_York}', {
    '2026-03-08T00:00:00Z': '2026-03-08T07:00:00Z 2026-03-08T13:00:00Z',
    '2026-03-08T08:00:00Z': '2026-03-08T07:00:00Z 2026-03-08T13:00:00Z',
    '2026-03-08T13:00:00Z': '2026-03-09T06:30:00Z 2026-03-09T12:30:00Z'}]
- [starts once where an hour exists twice in Berlin, '{cron: "30 2 * * *", for: 6h, timezone: Europe/Berlin}', {
    '2026-10-25T00:00:00Z': '2026-10-25T00:30:00Z 2026-10-25T06:30:00Z',
    '2026-10-25T01:30:00Z': '2026-10-25T00:30:00Z 2026-10-25T06:30:00Z',
    '2026-10-25T06:30:00Z': '2026-10-26T01:30:00Z 2026-10-26T07:30:00Z'}]
- [starts once where an hour exists twice in New York, '{cron: "30 1 * * *", for: 6h, timezone: America/New_York}', {
    '2026-11-01T00:00:00Z': '2026-11-01T05:30:00Z 2026-11-01T11:30:00Z',
    '2026-11-01T06:30:00Z': '2026-11-01T05:30:00Z 2026-11-01T11:30:00Z',
    '2026-11-01T11:30:00Z': '2026-11-02T06:30:00Z 2026-11-02T12:30:00Z'}]
- [of a range of hours begins at each of them, '{cron: "0 1-5 * * *", for: 1h, timezone: Europe/Berlin}', {'2026-10-24T12:00:00Z': '2026-10-24T23:00:00Z 2026-10-25T05:00:00Z'}]
- [between two days is in UTC, '{from: 2026-12-20, to: 2026-12-31}', {
    '2026-01-01T00:00:00Z': '2026-12-20T00:00:00Z 2027-01-01T00:00:00Z',
    '2026-12-31T23:59:59Z': '2026-12-20T00:00:00Z 2027-01-01T00:00:00Z',
    '2027-01-01T00:00:00Z': null}]
- [between two times has their zones, '{from: 2026-12-20T18:00:00+01:00, to: 2027-01-04T06:00+01:00}', {'2026-12-24T00:00:00Z': '2026-12-20T17:00:00Z 2027-01-04T05:00:00Z'}]
`)('a period of a freeze window %s: %s', async (_, window, periods) => {
  const freeze = window.replace('}', ', reason: x}');
  const { configurations, diagnostics } = await loadFiles({
    'attune.yaml': rootText(`freeze: [${freeze}]\n`),
  });
  expect(diagnostics).toEqual([]);
  const [read] = configurations[0]?.holds?.freeze ?? [];
  const found = Object.keys(periods).map((time) => {
    const period = read?.periodAt(Date.parse(time));
    return [time, period ? `${printTime(period.start)} ${printTime(period.end)}` : null];
  });
  expect(Object.fromEntries(found)).toEqual(periods);
});
