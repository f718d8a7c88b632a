import nock from 'nock';
import { expect, test } from 'vitest';
import type { Value } from '../../src/model/value.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { httpBridge } from '../support/http-bridge-dispatcher.ts';
import { rowsIn } from '../support/rows.ts';
import { address, api, clientUnderTest, rejection, token, useNock } from './nocked-client.ts';

useNock();

/** What node:http adds by itself. */
const carriage = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

function sent(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !carriage.has(name)));
}

test.each(
  rowsIn<{
    name: string;
    method: 'GET' | 'DELETE' | 'PATCH' | 'POST';
    expected: Record<string, unknown>;
    body?: Value;
  }>`
- {name: a GET has no content type, method: GET, expected: {}}
- {name: a write with a body has the JSON:API content type, method: PATCH, body: {data: {type: workspaces}}, expected: {content-type: application/vnd.api+json}}
- {name: 'a write without a body has the JSON:API content type, because the service answers 415 otherwise', method: POST, expected: {content-type: application/vnd.api+json}}
- {name: a DELETE without a body has the JSON:API content type, method: DELETE, expected: {content-type: application/vnd.api+json}}
- {name: a DELETE keeps its body, method: DELETE, body: {data: [{type: workspaces, id: ws-1}]}, expected: {content-type: application/vnd.api+json}}
`,
)('a request has the right headers: $name', async ({ method, expected, body }) => {
  const { client } = clientUnderTest();
  let headers = {};
  let received: unknown;
  nock(api)
    .intercept('/workspaces/ws-1', method)
    .reply(function (_uri, content) {
      headers = sent(this.req.headers);
      received = content;
      return [200, { data: null }];
    });

  if (method === 'GET') await client.get('/workspaces/ws-1');
  else await client.send({ method, path: '/workspaces/ws-1', ...(body && { body }) });

  expect(headers).toEqual({
    accept: 'application/vnd.api+json',
    'accept-encoding': 'gzip',
    authorization: `Bearer ${token}`,
    'user-agent': 'attune',
    ...expected,
  });
  expect(received).toBe(body ? JSON.stringify(body) : '');
});

test('a request without a token has no authorization', async () => {
  const client = createServiceClient({ address: new URL(address), dispatcher: httpBridge() });
  nock(address, { badheaders: ['authorization'] })
    .get('/api/v2/ping')
    .reply(200, {});
  expect(await client.get('/ping')).toEqual({});
});

test('a request has its brackets percent-encoded, in names and in values', async () => {
  const { client } = clientUnderTest();
  let uri = '';
  nock(api)
    .get('/organizations/acme/workspaces')
    .query(true)
    .reply(function () {
      uri = this.req.path;
      return [200, { data: [] }];
    });
  await client.get('/organizations/acme/workspaces', {
    'filter[project][id]': 'prj-1',
    'search[tags]': 'a b,c&d',
    'search[wildcard-name]': '*-[x]*',
    'page[size]': 100,
  });
  expect(uri).toBe(
    '/api/v2/organizations/acme/workspaces?filter%5Bproject%5D%5Bid%5D=prj-1&search%5Btags%5D=a%20b%2Cc%26d&search%5Bwildcard-name%5D=*-%5Bx%5D*&page%5Bsize%5D=100',
  );
});

test('a request is sent below the path of the address', async () => {
  const { client } = clientUnderTest({ address: new URL('https://example.com/iac/') });
  nock('https://example.com').get('/iac/api/v2/workspaces/ws-1').reply(200, { data: null });
  expect(await client.get('/workspaces/ws-1')).toEqual({ data: null });
});

test('a client refuses an address that would send the token unencrypted', () => {
  expect(() => clientUnderTest({ address: new URL('http://iac.example.com') })).toThrow(
    expect.objectContaining({ code: 'bad-address' }),
  );
});

test('a timeout of more milliseconds than a timer has is the longest one', async () => {
  const { client } = clientUnderTest({ timeout: 4_294_968 });
  nock(address).get('/api/v2/workspaces/ws-1').reply(200, { data: null });
  expect(await client.get('/workspaces/ws-1')).toEqual({ data: null });
});

const path = '/workspaces/ws-1';
const write = { method: 'POST', path } as const;

/** A client that sends one request, which gets this answer. */
function answered(status: number, body: string | Buffer | object = '', headers = {}, method = 'GET') {
  nock(api)
    .intercept(path, method)
    .reply(status, body as nock.Body, headers);
  return clientUnderTest();
}

const document = { data: { id: 'ws-1', type: 'workspaces', attributes: { name: 'nétwork' } } };
const text = JSON.stringify(document);

test.each(['text/plain', 'text/html', 'application/octet-stream', ''])(
  'an answer is read by its content and not by its content type "%s"',
  async (type) => {
    const { client } = answered(200, text, { 'content-type': type });
    expect(await client.get(path)).toEqual(document);
  },
);

test.each([
  [200, text, document],
  [201, text, document],
  [202, '', undefined],
  [204, '', undefined],
  [200, ' \n', undefined],
  [200, 'OK', undefined],
])('the answer %s with "%s" to a write is success', async (status, body, expected) => {
  const { client, attempts } = answered(status, body, {}, 'POST');
  expect(await client.send(write)).toEqual(expected);
  expect(attempts()).toEqual([`POST ${status}`]);
});

test('a page of a proxy as the response to a write is a failure with any status', async () => {
  const { client } = answered(200, '<!doctype html><title>Sign in</title>', {}, 'POST');
  const error = await rejection(client.send({ ...write, body: {} }));
  expect(error.message).toBe('POST /workspaces/ws-1: answered 200 with an HTML page');
  expect(error.hint).toBe(
    'check that iac.example.com is the service itself and not a proxy or a sign-in page',
  );
});

test('a write that gets a page of a proxy is looked up if that is possible', async () => {
  const { client } = answered(200, '<html></html>', {}, 'POST');
  expect(await client.send(write, { lookUp: async () => ({ document }) })).toBe(document);
});

test.each([
  ['<html><body>502</body></html>', 'an HTML page'],
  ['{"data": [{"id": "ws-1", ', 'a response that is not JSON'],
  ['null', 'a response that is not JSON'],
  ['[]', 'a response that is not JSON'],
  ['"ok"', 'a response that is not JSON'],
])('the answer %s to a read is a failure', async (body, kind) => {
  const { client, attempts } = answered(200, body);
  const error = await rejection(client.get(path));
  expect(error.message).toBe(`GET /workspaces/ws-1: answered 200 with ${kind}`);
  expect(attempts()).toEqual(['GET 200']);
});

test.each([204, 200])('the answer %s without a document to a read is a failure', async (status) => {
  const error = await rejection(answered(status).client.get(path));
  expect(error.message).toBe('GET /workspaces/ws-1: the response has no document');
});

test.each(rowsIn<[number, string | null, string]>`
- [301, https://elsewhere.example/api/v2/workspaces/ws-1, https://elsewhere.example]
- [302, http://iac.example.com/login?next=x, http://iac.example.com]
- [307, https://elsewhere.example/, https://elsewhere.example]
- [308, /api/v3, another path]
- [302, ~, another path]
`)('a redirect of %s to %s is refused, and the token is sent nowhere else', async (status, location, to) => {
  const { client, attempts } = answered(status, '', location === null ? {} : { location });
  const error = await rejection(client.get(path));
  expect(error.message).toBe(`GET /workspaces/ws-1: answered ${status}, a redirect to ${to}`);
  expect(error.hint).toBe(
    'set the address to the target of the redirect; Attune never follows redirects, to protect the token',
  );
  expect(attempts()).toEqual([`GET ${status}`]);
});

test('the token is masked if the service echoes it in an error', async () => {
  const detail = `the token ${token} has expired`;
  const { client } = answered(403, { errors: [{ detail, source: { pointer: `/${token}` } }] });
  const error = await rejection(client.get(path));
  expect(error.message).toBe('GET /workspaces/ws-1 answered 403: the token *** has expired (/***)');
  expect(JSON.stringify({ ...error, stack: error.stack })).not.toContain(token);
});

test('the token is masked if the service echoes it in a document', async () => {
  const { client } = answered(200, { data: { attributes: { description: `by ${token}` } } });
  expect(await client.get(path)).toEqual({ data: { attributes: { description: 'by ***' } } });
});

test('a token that is a common word leaves documents unchanged', async () => {
  const { client } = clientUnderTest({ token: 'data' });
  const document = { data: { attributes: { name: 'data-lake' } } };
  nock(api).get(path).reply(200, document);
  expect(await client.get(path)).toEqual(document);
});

test('the token is in no error of a connection', async () => {
  const { client } = clientUnderTest();
  nock(api)
    .get(path)
    .times(5)
    .replyWithError(new Error(`bad header Bearer ${token}`));
  const error = await rejection(client.get(path));
  expect(error.message).toBe('GET /workspaces/ws-1: no usable response (bad header Bearer ***)');
});
