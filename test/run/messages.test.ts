import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Receiver } from '../../src/model/rules.ts';
import type { Message } from '../../src/report/message.ts';
import { masked, type RunContext } from '../../src/run/context.ts';
import { messagesOf, sendMessages } from '../../src/run/messages.ts';
import { largePlan, largeReport } from '../report/fixtures/large-plan.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { rowsIn } from '../support/rows.ts';
import { serverWith } from '../support/servers.ts';

type Answer = (response: ServerResponse, index: number) => unknown;

const status =
  (of: (index: number) => number): Answer =>
  (response, index) =>
    response.writeHead(of(index)).end();

/** A receiver of messages on loopback. */
async function receiverOf(answer: Answer = (response) => response.end()) {
  const received: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  const origin = await serverWith(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: await text(request) });
    answer(response, received.length);
  });
  return { received, url: `${origin}/services/T0/secret-path?key=secret-query` };
}

const signed: Receiver = {
  to: 'webhook',
  urlEnv: 'HOOK',
  secretEnv: 'KEY',
  on: ['failed', 'applied', 'attention', 'drift'],
};
const { secretEnv: _key, ...plain } = signed;

const message: Message = {
  format: 'attune.message/1',
  event: 'drift',
  organization: 'acme',
  root: 'test-token.yaml',
  at: '2026-01-05T08:00:00.000Z',
  title: 'acme: attune drift found differences',
  summary: 'Drift: 1 & more.',
  lines: ['update workspace.<!channel>'],
  more: 3,
  link: 'https://ci.example.com/1',
};

async function send(env: Readonly<Record<string, string>>, receivers: readonly Receiver[] = [plain]) {
  const clock = jumpingClock();
  const secrets = new Set(['test-token']);
  const io = { env, clock, date: () => new Date(message.at) };
  const context = { io, secrets } as unknown as RunContext;
  const outgoing = receivers.map((receiver) => ({ receiver, message }));
  const { warnings, delivered } = await sendMessages(outgoing, context);
  return {
    slept: clock.slept,
    secrets,
    delivered,
    warnings: warnings.map((one) => one.message),
    hints: warnings.map(({ hint }) => hint),
  };
}

test('a webhook gets the message without tokens, with the signature of its time and its body', async () => {
  const { received, url } = await receiverOf();
  expect((await send({ HOOK: url, KEY: 'sign-key' }, [signed])).warnings).toEqual([]);
  const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = received;
  const v1 = createHmac('sha256', 'sign-key').update(`1767600000.${body}`).digest('hex');
  expect(headers['x-attune-signature']).toBe(`t=1767600000,v1=${v1}`);
  expect(path).toBe('/services/T0/secret-path?key=secret-query');
  expect(JSON.parse(body)).toEqual({ ...message, root: '***.yaml' });
});

test('Slack gets one text, in which it interprets the link alone', async () => {
  const { received, url } = await receiverOf();
  await send({ HOOK: url }, [{ ...plain, to: 'slack' }]);
  expect(JSON.parse(received[0]?.body ?? '')).toEqual({
    text: [
      'acme: attune drift found differences',
      'Drift: 1 &amp; more.',
      'update workspace.&lt;!channel&gt;',
      'and 3 more',
      'acme · ***.yaml · 2026-01-05T08:00:00.000Z',
      '<https://ci.example.com/1|CI job>',
    ].join('\n'),
  });
});

const cut: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('ok', () => response.destroy());
};

test.each<[string, Answer, number, number[], string[]]>([
  ['fails', status(() => 503), 3, [250, 500], ['it answered 503']],
  ['refuses after a wait', status((index) => (index === 1 ? 429 : 404)), 2, [250], ['it answered 404']],
  ['cuts its answer', cut, 1, [], []],
])('a receiver that %s gets as many attempts as can help', async (_, answer, requests, slept, why) => {
  const { received, url } = await receiverOf(answer);
  const sent = await send({ HOOK: url });
  expect([received.length, sent.slept]).toEqual([requests, slept]);
  expect(sent.warnings).toEqual(why.map((one) => `a message to webhook was not sent: ${one}`));
});

test('a warning counts the messages that a receiver took', async () => {
  const { url } = await receiverOf(status((index) => (index === 1 ? 200 : 403)));
  const { warnings, delivered } = await send({ HOOK: url }, [plain, plain]);
  expect(delivered).toHaveLength(1);
  expect(warnings).toEqual(['a message to webhook was not sent: it answered 403']);
});

test.each(rowsIn<[string, Record<string, string>, string, string]>`
- [the variable of the address is not set, {}, HOOK is not set, set HOOK to the address of the webhook]
- [the variable of the key is not set, {HOOK: http://127.0.0.1:9/}, KEY is not set, set KEY to the key of the signature]
- [the variable has no address, {HOOK: services/T0, KEY: k}, HOOK is not an address, set HOOK to an https address without a user name]
- [the address is plain http to another machine, {HOOK: http://hooks.example.com/, KEY: k}, the address in HOOK is plain http to another machine, set HOOK to an https address without a user name]
- ["nothing listens at the address, which is not printed", {HOOK: http://127.0.0.1:9/, KEY: k}, the connection was refused, "check the address in HOOK, and that this machine may connect to it"]
`)('no message is sent, with a warning, if %s', async (_, env, why, hint) => {
  const { warnings, hints } = await send(env, [signed]);
  expect([warnings, hints]).toEqual([[`a message to webhook was not sent: ${why}`], [hint]]);
});

test('an address is a secret as a whole; a short path, a key and a value that is not an address are none', async () => {
  const { url } = await receiverOf();
  const { secrets } = await send({ HOOK: url, KEY: 'workspace.network' }, [signed]);
  expect([...secrets]).toEqual(['test-token', url, '?key=secret-query']);
  const { origin } = new URL(url);
  const short = await send({ HOOK: `${origin}/production` });
  expect(masked('envs/production/acme.yaml', short.secrets)).toBe('envs/production/acme.yaml');
  const long = await send({ HOOK: `${origin}/services/secret-path-of-acme` });
  expect(masked('/services/secret-path-of-acme', long.secrets)).toBe('***');
  expect([...(await send({ HOOK: 'workspace.network' })).secrets]).toEqual(['test-token']);
});

const error = { severity: 'error', code: 'bad-value', message: 'no' } as const;

test.each([
  ['a difference', { plan: largePlan({ update: 1 }), diagnostics: [] }, plain.on, 'drift'],
  ['an error', { plan: largePlan({ update: 1 }), diagnostics: [error] }, plain.on, 'failed'],
  ['an error before a plan', { diagnostics: [error] }, plain.on, 'failed'],
  ['no difference', { plan: largePlan({}), diagnostics: [] }, plain.on, undefined],
  ['an event of no receiver', { plan: largePlan({ update: 1 }), diagnostics: [] }, ['failed'], undefined],
] as const)('the event of a message about %s', (_, entry, on, event) => {
  const entries = [{ ...entry, path: (file: string) => file, receivers: [{ ...plain, on }] }];
  const io = { env: {}, date: () => new Date(0) };
  const messages = messagesOf({ kind: 'drift', entries }, { io } as unknown as RunContext);
  expect(messages.map((one) => one.message.event)).toEqual(event === undefined ? [] : [event]);
});

test.each(rowsIn<[Record<string, string>, string?]>`
- [{GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: acme/web, GITHUB_RUN_ID: '7'}, 'https://github.com/acme/web/actions/runs/7']
- [{CI_JOB_URL: 'https://ci.example.com/1|<x>'}, 'https://ci.example.com/1%7C%3Cx%3E']
- [{CI_JOB_URL: 'javascript:alert(1)'}]
`)('a message lists at most ten findings, counts the rest, and links to the job of %o', (env, link) => {
  const report = largeReport({ create: 13 }, 'plan');
  const entries = report.entries.map((entry) => ({ ...entry, receivers: [plain] }));
  const io = { env, date: () => new Date(0) };
  const [sent] = messagesOf({ ...report, entries }, { io } as unknown as RunContext);
  expect([sent?.message.lines.length, sent?.message.more, sent?.message.link]).toEqual([10, 3, link]);
});

test('what a freeze window held during an apply needs attention, and its message has the reason and the end', () => {
  const plan = largePlan({ update: 1 });
  const error = { message: 'held by freeze window until 2027-01-05T00:00:00Z: year end' };
  const held = [{ by: 'freeze', reason: 'year end', until: '2027-01-05T00:00:00Z' }] as const;
  const outcome = { held, result: 'held', callsDone: 0, error } as const;
  const changes = plan.changes.map((one) => ({ ...one, ...outcome }));
  const result = { plan, changes, diagnostics: [] };
  const entry = { plan, result, diagnostics: [], path: (file: string) => file, receivers: [plain] };
  const io = { env: {}, date: () => new Date(0) };
  const [sent] = messagesOf({ kind: 'apply', entries: [entry] }, { io } as unknown as RunContext);
  expect([sent?.message.event, sent?.message.counts?.held]).toEqual(['attention', 1]);
  expect(sent?.message.lines).toEqual([
    `held: update ${changes[0]?.address}: ${error.message} (needs attention: auto-apply on (held): auto-apply: false -> true)`,
  ]);
});
