import type { ServerResponse } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, createServiceClient } from '../../src/service/client.ts';
import { jumpingClock, virtualClock } from '../support/fake-clock.ts';
import { listen, serverWith } from '../support/servers.ts';
import { rejection, token } from './nocked-client.ts';

function clientFor(
  address: string,
  options: Pick<ClientOptions, 'timeout' | 'parallelism' | 'clock' | 'observe'> = {},
) {
  const client = createServiceClient({ address: new URL(address), token, clock: jumpingClock(), ...options });
  onTestFinished(() => client.close());
  return client;
}

const document = JSON.stringify({ data: { id: 'ws-1', attributes: { description: 'x'.repeat(10_000) } } });

/** A client of a server that answers each request, and how many there were. */
async function clientOf(
  answer: (response: ServerResponse, count: number) => unknown,
  options: Parameters<typeof clientFor>[1] = {},
) {
  const sent = { requests: 0 };
  const address = await serverWith((_request, response) => {
    sent.requests += 1;
    answer(response, sent.requests);
  });
  return { client: clientFor(address, options), sent };
}

test('an answer that decompresses to more than any that the service gives is refused', async () => {
  const bomb = Buffer.concat(Array(65).fill(gzipSync(Buffer.alloc(1024 * 1024))));
  const { client } = await clientOf((response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  expect((await rejection(client.get('/x'))).message).toBe('GET /x: the response is too large');
});

const half = (text: string | Buffer) => text.slice(0, text.length / 2);
const zipped = gzipSync(document);

const breakOffDocument = (response: ServerResponse) =>
  response.write(half(document), () => response.destroy());

test.each<[string, Record<string, string | number>, string | Buffer, (response: ServerResponse) => unknown]>([
  ['a break in an answer with its length', { 'content-length': document.length }, document, breakOffDocument],
  ['a break in an answer in chunks', {}, document, breakOffDocument],
  [
    'half of a compressed answer',
    { 'content-encoding': 'gzip' },
    zipped,
    (response) => response.end(half(zipped)),
  ],
])('a read is sent again after %s', async (_how, headers, whole, breakOff) => {
  const { client, sent } = await clientOf((response, count) => {
    response.writeHead(200, headers);
    if (count > 1) response.end(whole);
    else breakOff(response);
  });
  expect(await client.get('/workspaces/ws-1')).toEqual(JSON.parse(document));
  expect(sent.requests).toBe(2);
});

test('a closed port is reported as a refused connection', async () => {
  const client = clientFor('http://127.0.0.1:1');
  const error = await rejection(client.get('/workspaces/ws-1'));
  expect(error.message).toBe('GET /workspaces/ws-1: the connection was refused');
  expect(error.hint).toBe('check the address 127.0.0.1:1 and the connection to it (5 tries)');
});

test('a request to a service that never answers ends after the timeout of each try', async () => {
  const attempts: unknown[] = [];
  const observe: ClientOptions['observe'] = (event) => event.type === 'attempt' && attempts.push(event);
  const { client } = await clientOf(() => {}, { timeout: 0.05, observe });
  const error = await rejection(client.get('/workspaces/ws-1'));
  expect(error.message).toBe('GET /workspaces/ws-1: no response within 0.05 s');
  expect(error.hint).toMatch(/^check the address .* \(5 tries\), or set a longer --timeout$/);
  // Not counted by the server: on a busy machine, the time of a request can end before it arrives.
  expect(attempts).toHaveLength(5);
});

test('the timeout of a request includes a body that arrives slowly', async () => {
  const answer = (response: ServerResponse) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(drip));
  };
  const { client } = await clientOf(answer, { timeout: 0.05 });
  expect((await rejection(client.get('/x'))).message).toBe('GET /x: no response within 0.05 s');
});

test('no more requests run at a time than the parallelism allows', async () => {
  const waiting: (() => void)[] = [];
  let most = 0;
  const client = clientFor(
    await serverWith((request, response) => {
      // The first request is sent alone, and the others after its answer.
      if (request.url?.endsWith('/workspaces/first')) {
        response.end('{}');
        return;
      }
      waiting.push(() => response.end('{}'));
      most = Math.max(most, waiting.length);
      // No other request is answered before there are three.
      if (waiting.length >= 3)
        setImmediate(() => {
          for (const answer of waiting.splice(0)) answer();
        });
    }),
    { parallelism: 3 },
  );
  await client.get('/workspaces/first');
  await Promise.all(Array.from({ length: 30 }, (_, index) => client.get(`/workspaces/ws-${index}`)));
  expect(most).toBe(3);
});

test('a redirect is not followed, and only the first server sees the token', async () => {
  const seen: string[] = [];
  const elsewhere = await serverWith((request, response) => {
    seen.push(String(request.headers.authorization));
    response.end('{}');
  });
  const location = `${elsewhere}/api/v2/x`;
  const { client } = await clientOf((response) => response.writeHead(302, { location }).end());
  const error = await rejection(client.get('/x'));
  expect(error.message).toBe(`GET /x: answered 302, a redirect to ${elsewhere}`);
  expect(seen).toEqual([]);
});

test('a 429 holds back every request, not only the one that was refused', async () => {
  const clock = virtualClock();
  const times: number[] = [];
  const answer = (response: ServerResponse, count: number) => {
    times.push(clock.now());
    if (count === 1) response.writeHead(429, { 'x-ratelimit-reset': '5' }).end();
    else response.end('{}');
  };
  const { client } = await clientOf(answer, { clock, parallelism: 1 });
  await finished(Promise.all([client.get('/a'), client.get('/b'), client.get('/c')]), clock);
  expect(times).toEqual([0, 5000, 5000, 5000]);
});

test('a request fails after a hundred 429s in a row', async () => {
  const refusal = JSON.stringify({ errors: [{ status: 429, title: 'Too many requests' }] });
  const { client, sent } = await clientOf((response) => response.writeHead(429).end(refusal));
  const error = await rejection(client.get('/workspaces/ws-1'));
  expect(sent.requests).toBe(100);
  expect(error.message).toBe('GET /workspaces/ws-1 answered 429: too many requests');
  expect(error.hint).toBe('wait for other users of the same token, or set a lower --rate');
});

/** Lets the clock run until the work is done; real answers come in between. */
async function finished(work: Promise<unknown>, clock: ReturnType<typeof virtualClock>): Promise<void> {
  let done = false;
  const ended = work.finally(() => {
    done = true;
  });
  while (!done) await clock.run();
  await ended;
}

/** A server that writes its answers byte by byte as a test wants them. */
async function rawServer(answer: (request: string) => string): Promise<string> {
  const server = createRawServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => socket.write(answer(data.toString())));
    onTestFinished(() => void socket.destroy());
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

test.each([
  ['the announced length', 'content-length: 2\r\n\r\n{}'],
  ['chunks', 'transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
  ['an HTML page', 'content-length: 6\r\n\r\n<html>'],
  ['no announced length', '\r\n{}'],
])('a 204 with a body (%s) is a success, and the write is sent once', async (_how, rest) => {
  let writes = 0;
  const client = clientFor(
    await rawServer((request) => {
      if (request.startsWith('GET')) return 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
      writes += 1;
      return `HTTP/1.1 204 No Content\r\n${rest}`;
    }),
  );
  expect(await client.send({ method: 'POST', path: '/x', body: { data: [] } })).toBeUndefined();
  expect(await client.get('/y')).toEqual({});
  expect(writes).toBe(1);
});

test.each([
  ['GZIP', gzipSync(document)],
  ['identity', Buffer.from(document)],
  ['gzip', gzipSync(`\u{feff}${document}`)],
])('an answer with the content encoding %s is decoded', async (encoding, body) => {
  const { client } = await clientOf((response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body),
  );
  expect(await client.get('/workspaces/ws-1')).toEqual(JSON.parse(document));
});

test.each(['br', 'constructor', '__proto__'])(
  'an answer with the unknown content encoding %s fails with its name and is not requested again',
  async (encoding) => {
    const { client, sent } = await clientOf((response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end('x'),
    );
    const error = await rejection(client.get('/x'));
    expect(error.message).toBe(`GET /x: the response has an unsupported content encoding "${encoding}"`);
    expect(sent.requests).toBe(1);
  },
);
