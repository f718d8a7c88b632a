import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { PlannedChange } from '../../src/model/plan.ts';
import type { Hold } from '../../src/model/rules.ts';
import { type MessageEvent, messageEvents } from '../../src/model/rules.ts';
import type { Message } from '../../src/report/message.ts';
import type { ReportEntry, ReportKind } from '../../src/report/report.ts';
import type { RunContext } from '../../src/run/context.ts';
import type { CycleOutcome, OrganizationOutcome } from '../../src/run/cycle/create-cycle.ts';
import { createLog } from '../../src/watch/log.ts';
import { createWatchMessages } from '../../src/watch/watch-messages.ts';
import { type Amounts, largePlan } from '../report/fixtures/large-plan.ts';
import { folderWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { serverWith } from '../support/servers.ts';

const date = () => new Date(Date.UTC(2026, 0, 5));

/** Receivers at `/HOOK`, `/A` and `/B`, and what each got. */
async function receivers(answer: (response: ServerResponse, index: number) => void = (one) => one.end()) {
  const received: (Message & { readonly path: string })[] = [];
  const address = await serverWith(async (request, response) => {
    received.push({ path: request.url ?? '', ...JSON.parse(await text(request)) });
    answer(response, received.length);
  });
  const cwd = await folderWith({});
  const logged: string[] = [];
  const log = createLog({ quiet: false, date, write: (line) => logged.push(JSON.parse(line).message) });
  const env = { HOOK: `${address}/HOOK`, A: `${address}/A`, B: `${address}/B` };
  const io = { cwd, env, date, clock: jumpingClock() };
  const context = { io, secrets: new Set() } as unknown as RunContext;
  return {
    logged,
    received,
    events: () => received.map(({ event }) => event),
    start: (kind: ReportKind = 'drift', stop = new AbortController().signal) =>
      createWatchMessages(context, log, { kind, stop }),
  };
}

function root(
  file = 'attune.yaml',
  urlEnv = 'HOOK',
  on: readonly MessageEvent[] = messageEvents,
): ReportEntry {
  const receiver = { to: 'webhook', urlEnv, on } as const;
  return { file, organization: 'acme', diagnostics: [], receivers: [receiver], path: (name) => name };
}

function outcome(roots: readonly ReportEntry[], changed: Partial<OrganizationOutcome>): CycleOutcome {
  const organization = { organization: 'acme', roots, isSuccess: true, errors: [] };
  return { refused: [], organizations: [{ ...organization, ...changed }] };
}

/** A cycle whose plan has these changes. */
function planned(
  amounts: Amounts,
  entry = root(),
  {
    held,
    errors = [],
    ...rest
  }: { held?: Hold; errors?: readonly ReportEntry[] } & Partial<ReportEntry> = {},
): CycleOutcome {
  const plan = largePlan(amounts);
  const changes = plan.changes.map(
    (one): PlannedChange => (held && one.action === 'update' ? { ...one, held: [held], calls: [] } : one),
  );
  const entries = [{ ...entry, ...rest, plan: { ...plan, changes } }];
  const none = { plans: [], applied: [], waiting: [], held: [], remaining: [] };
  return outcome([entry], { errors, found: { ...none, entries, readAt: date() } });
}

const error = { severity: 'error', code: 'bad-value', message: 'no' } as const;
const failure: ReportEntry = { diagnostics: [error], path: (name) => name };
const refused: CycleOutcome = { refused: [failure], organizations: [] };

test('watch sends a message when it differs from the last one, not in each cycle', async () => {
  const { received, events, start } = await receivers();
  const send = start();
  for (const amounts of [{ update: 1 }, { update: 1 }, { update: 2 }, {}, {}]) await send(planned(amounts));
  expect(events()).toEqual(['drift', 'drift', 'resolved']);
  expect(received.map(({ title }) => title).slice(1)).toEqual([
    'acme: attune watch found differences',
    'acme: attune watch has nothing more to report',
  ]);
  expect(received.at(-1)).toMatchObject({ lines: [], more: 0 });
});

test('watch reports invalid files to the receivers of the last valid ones, and the end of the failure', async () => {
  const { received, start } = await receivers();
  const send = start();
  for (const one of [planned({}), refused, refused, planned({})]) await send(one);
  expect(received.map(({ event, lines }) => [event, lines])).toEqual([
    ['failed', ['error: no']],
    ['resolved', []],
  ]);
});

test('watch sends a message again that was not delivered', async () => {
  const { received, logged, start } = await receivers((response, index) => {
    response.statusCode = index <= 3 ? 500 : 200;
    response.end();
  });
  const send = start();
  const counts = [];
  for (let cycle = 0; cycle < 3; cycle += 1) {
    await send(planned({ update: 1 }));
    counts.push(received.length);
  }
  expect(counts).toEqual([3, 4, 4]);
  expect(logged).toEqual([
    expect.stringMatching(/^\[message-not-sent\] a message to webhook was not sent: it answered 500/),
  ]);
});

test.each([
  ['without other changes that need attention', {}, ['attention', 'resolved']],
  ['beside a deletion', { delete: 1 }, ['attention', 'attention', 'attention']],
])('watch sends a message when a freeze window begins and at its end, %s', async (_, others, expected) => {
  const { received, events, start } = await receivers();
  const send = start('apply');
  const held = { by: 'freeze', reason: 'year end', until: '2026-01-05T00:15:00Z' } as const;
  const attention = root('attune.yaml', 'HOOK', ['attention']);
  for (const one of [{}, { held }, { held }, {}]) {
    const update = 'held' in one ? { update: 1 } : {};
    await send(planned({ ...others, ...update }, attention, one));
  }
  expect(events()).toEqual(expected);
  const line = /^held by freeze window until 2026-01-05T00:15:00Z: year end: /;
  expect(received.filter(({ lines }) => lines.some((text) => line.test(text)))).toHaveLength(1);
});

test('watch sends nothing to a receiver that the last valid files no longer have', async () => {
  const { received, start } = await receivers();
  const send = start();
  const { receivers: _, ...without } = root();
  for (const one of [planned({}), planned({}, without), refused]) await send(one);
  expect(received).toEqual([]);
});

test('watch reports a failure after the plan, and what it made in the next cycle', async () => {
  const { received, events, start } = await receivers();
  const send = start('apply');
  const change = largePlan({ update: 1 }).changes.map(
    (one) => ({ ...one, result: 'done', callsDone: 1 }) as const,
  );
  const result = { plan: largePlan({ update: 1 }), changes: change, diagnostics: [] };
  await send(planned({ update: 1 }, root(), { errors: [failure] }));
  for (let cycle = 0; cycle < 2; cycle += 1) await send(planned({ update: 1 }, root(), { result }));
  await send(planned({}));
  expect(events()).toEqual(['failed', 'applied', 'resolved']);
  expect(received[0]?.lines[0]).toBe('error: no');
});

test('the receivers of each root file get the beginning and the end of a failure that they share', async () => {
  const { received, start } = await receivers();
  const send = start();
  const roots = [root('a.yaml', 'A'), root('b.yaml', 'B')];
  const down = outcome(roots, { isSuccess: false, errors: [failure] });
  const { found } = planned({}).organizations[0] ?? {};
  const entries = roots.map((entry) => ({ ...entry, plan: largePlan({}) }));
  if (found === undefined) throw new Error('no plan');
  for (const one of [down, down, outcome(roots, { found: { ...found, entries } })]) await send(one);
  for (const path of ['/A', '/B'])
    expect(received.filter((one) => one.path === path).map(({ event }) => event)).toEqual([
      'failed',
      'resolved',
    ]);
});

test('watch ends at once while a receiver does not answer', async () => {
  const stop = new AbortController();
  const { logged, start } = await receivers(() => stop.abort());
  await start('drift', stop.signal)(planned({ update: 1 }));
  expect(logged).toEqual([expect.stringContaining('a message to webhook was not sent: the run was stopped')]);
});
