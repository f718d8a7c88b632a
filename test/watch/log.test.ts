import { expect, test } from 'vitest';
import { createLog, type LogEvent, type LogLevel } from '../../src/watch/log.ts';
import { rowsIn } from '../support/rows.ts';

const events = rowsIn<[LogLevel, LogEvent]>`
- [info, {event: listening, url: http://127.0.0.1:8080}]
- [info, {event: cycle-started, cycle: 3, reason: retry}]
- [info, {event: planned, cycle: 3, organization: acme, create: 1, update: 2, delete: 3, unchanged: 4, held: 2, undeclared: 5}]
- [error, {event: change, cycle: 3, organization: acme, address: workspace.a, action: update, result: failed, error: "not\nallowed"}]
- [info, {event: held, cycle: 3, organization: acme, address: workspace.a, action: update, by: freeze, reason: "year\nend", until: '2027-01-04T06:00:00Z', fields: [name, tags]}]
- [warn, {event: diagnostic, cycle: 3, organization: acme, code: c, message: m, hint: h, file: attune.yaml, line: 7}]
- [error, {event: cycle-finished, cycle: 3, result: failed, seconds: 1.5, failures: 2, next: 15}]
- [info, {event: request, organization: acme, method: GET, path: /a, milliseconds: 7}]
`;

const written = (quiet = false) => {
  const lines: string[] = [];
  const log = createLog({ quiet, date: () => new Date(0), write: (line) => lines.push(line) });
  for (const [level, event] of events) log(level, event);
  return lines;
};

test('the log has one object per line with the members of the event', () => {
  const time = '1970-01-01T00:00:00.000Z';
  const expected = events.map(([level, event]) => ({ time, level, ...event }));
  expect(written().map((line) => JSON.parse(line))).toEqual(expected);
  expect(written().every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
});

test('the quiet log has warnings and errors only', () => {
  expect(written(true).map((line) => JSON.parse(line).level)).toEqual(['error', 'warn', 'error']);
});

test('the log of a cycle shows its start, its plan, its changes and its end', () => {
  let now = Date.UTC(2026, 0, 5, 8);
  const lines: string[] = [];
  const log = createLog({ date: () => new Date(now), write: (line) => lines.push(line) });
  const acme = { cycle: 1, organization: 'acme' } as const;
  log('info', { event: 'listening', url: 'http://127.0.0.1:8080' });
  log('info', { event: 'cycle-started', cycle: 1, reason: 'start' });
  now += 2310;
  const figures = { create: 0, update: 1, delete: 1, unchanged: 812, held: 0, undeclared: 0 };
  log('info', { event: 'planned', ...acme, ...figures });
  const address = 'workspace.network-prod';
  log('info', { event: 'change', ...acme, address, action: 'update', result: 'done' });
  const end = { result: 'success', seconds: 2.31, failures: 0, next: 611.4 } as const;
  log('info', { event: 'cycle-finished', cycle: 1, ...end });
  expect(
    lines.join(''),
  ).toBe(`{"time":"2026-01-05T08:00:00.000Z","level":"info","event":"listening","url":"http://127.0.0.1:8080"}
{"time":"2026-01-05T08:00:00.000Z","level":"info","event":"cycle-started","cycle":1,"reason":"start"}
{"time":"2026-01-05T08:00:02.310Z","level":"info","event":"planned","cycle":1,"organization":"acme","create":0,"update":1,"delete":1,"unchanged":812,"held":0,"undeclared":0}
{"time":"2026-01-05T08:00:02.310Z","level":"info","event":"change","cycle":1,"organization":"acme","address":"workspace.network-prod","action":"update","result":"done"}
{"time":"2026-01-05T08:00:02.310Z","level":"info","event":"cycle-finished","cycle":1,"result":"success","seconds":2.31,"failures":0,"next":611.4}
`);
});
