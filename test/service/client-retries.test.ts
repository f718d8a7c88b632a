import nock from 'nock';
import { expect, test } from 'vitest';
import type { WriteRequest } from '../../src/model/plan.ts';
import type { SendOptions } from '../../src/service/exchange.ts';
import { api, clientUnderTest, rejection, useNock } from './nocked-client.ts';

useNock();

const path = '/workspaces/ws-1';
const call = { method: 'POST', path, body: { a: 1 } } as const satisfies WriteRequest;
const cut = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
/** The response: a status, or none. */
type Outcome = number | 'cut';

function expectRequests(
  method: 'get' | 'post',
  outcomes: readonly Outcome[],
  headers: Record<string, string> = {},
): void {
  for (const outcome of outcomes) {
    const intercepted = nock(api)[method](path);
    if (outcome === 'cut') intercepted.replyWithError(cut);
    else intercepted.reply(outcome, outcome === 200 ? { data: { id: 'ws-1' } } : '', headers);
  }
}

const plain: SendOptions = {};
const repeatable: SendOptions = { repeatable: true };
const lookedUp: SendOptions = { lookUp: async () => undefined };

test.each([
  { how: 'a plain write', options: plain, again: [429] },
  { how: 'a repeatable write', options: repeatable, again: ['cut', 429, 502, 503, 504] },
  { how: 'a write that is looked up', options: lookedUp, again: ['cut', 429, 502, 503, 504] },
])('a write is tried again only if a repetition is safe: $how after $again', async ({ options, again }) => {
  for (const first of ['cut', 400, 404, 409, 422, 429, 500, 502, 503, 504] as const) {
    const { client, attempts } = clientUnderTest();
    const tries = again.includes(first) ? 2 : 1;
    expectRequests('post', tries === 2 ? [first, 200] : [first]);
    await client.send(call, options).catch(() => undefined);
    expect(attempts(), String(first)).toHaveLength(tries);
  }
});

const found = { data: { id: 'ws-found' } };

test.each(['cut', 500, 502, 503, 504] as const)(
  'a write whose answer was lost is done if the look-up finds its effect, after %s',
  async (first) => {
    const { client, attempts } = clientUnderTest();
    expectRequests('post', [first]);
    expect(await client.send(call, { lookUp: async () => ({ document: found }) })).toBe(found);
    expect(attempts()).toEqual([`POST ${first === 'cut' ? '-' : first}`]);
  },
);

test.each([409, 422, 404])(
  'a write whose answer was lost is looked up again when its second try is refused with %s',
  async (second) => {
    // The first look came before the effect: the service was still at work.
    const looks = [undefined, { document: found }];
    const { client } = clientUnderTest();
    expectRequests('post', ['cut', second]);
    expect(await client.send(call, { lookUp: async () => looks.shift() })).toBe(found);
  },
);

test('a write whose answer was lost fails with the refusal of the second try if the look-up finds nothing then either', async () => {
  const { client } = clientUnderTest();
  expectRequests('post', ['cut', 422]);
  const error = await rejection(client.send(call, { lookUp: async () => undefined }));
  expect(error.message).toBe(
    'POST /workspaces/ws-1 answered 422: the service refused the content of the request',
  );
});

test('a write is not looked up after a refusal or 429, because that had no effect', async () => {
  const lookUp = () => Promise.reject(new Error('nobody asked'));
  for (const status of [400, 401, 403, 404, 409, 422]) {
    const { client } = clientUnderTest();
    expectRequests('post', [status]);
    expect((await rejection(client.send(call, { lookUp }))).status).toBe(status);
  }
  const { client, attempts } = clientUnderTest();
  expectRequests('post', [429, 200]);
  await client.send(call, { lookUp });
  expect(attempts()).toEqual(['POST 429', 'POST 200']);
});

test('the error of a lost response reports that the look-up failed too', async () => {
  const { client } = clientUnderTest();
  expectRequests('post', ['cut']);
  nock(api).get(path).reply(401);
  const lookUp = async () => ({ document: await client.get(path) });
  const error = await rejection(client.send(call, { lookUp }));
  expect(error.message).toBe(
    'POST /workspaces/ws-1: the response was lost, and it is unknown whether the call took effect (GET /workspaces/ws-1 answered 401: the token is missing or not valid)',
  );
  expect(error.hint).toBe('plan again: changes that took effect are not repeated');
});

test.each([500, 503])(
  'tries of a read are bounded: it fails after five times %s, each wait longer than the one before',
  async (status) => {
    const { client, clock, attempts } = clientUnderTest();
    expectRequests('get', [status, status, status, status, status]);
    await rejection(client.get(path));
    expect(attempts()).toHaveLength(5);
    expect(clock.slept).toEqual([125, 250, 500, 1000]);
  },
);

test('observers get each 429 and each retry', async () => {
  const { client, events } = clientUnderTest();
  expectRequests('get', [429], { 'x-ratelimit-reset': '3' });
  expectRequests('get', [503, 200]);
  await client.get(path);
  expect(events.map(({ type }) => type)).toEqual([
    'queued',
    'attempt',
    'throttled',
    'attempt',
    'retry',
    'attempt',
    'finished',
  ]);
  expect(events).toContainEqual({ type: 'throttled', wait: 3000 });
  expect(events).toContainEqual({ type: 'retry', method: 'GET', path, wait: 125 });
});
