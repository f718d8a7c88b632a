import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type Endpoints, startListener } from '../../src/watch/listener.ts';

async function listenerOn(
  host: string,
  limits?: Parameters<typeof startListener>[2],
  changed: Partial<Endpoints> = {},
) {
  const endpoints = {
    isReady: () => true,
    page: async () => Buffer.from('page'),
    metrics: { contentType: 'text/plain', text: async () => 'metrics' },
    ...changed,
  };
  const listener = await startListener({ host, port: 0 }, endpoints, limits);
  onTestFinished(() => listener.close());
  const port = Number(new URL(listener.url).port);
  return {
    port,
    open: () => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      return socket;
    },
  };
}

async function answerOf(
  port: number,
  host: string,
  path = '/metrics',
): Promise<[status: number, body: string]> {
  const request = get({ host: '127.0.0.1', port, path, headers: { host }, agent: false });
  const [response] = await once(request, 'response');
  return [response.statusCode, await text(response)];
}

async function statusOf(...request: Parameters<typeof answerOf>): Promise<number> {
  return (await answerOf(...request))[0];
}

test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '0x7f000001'])(
  'a listener on loopback that is written as %s refuses a Host header with another name',
  async (host) => {
    const { port } = await listenerOn(host);
    expect(await answerOf(port, 'attacker.example')).toEqual([
      403,
      'the Host header must name a loopback address, such as 127.0.0.1 or localhost\n',
    ]);
    for (const named of [`localhost:${port}`, '127.0.0.1', '[::1]:80'])
      expect(await statusOf(port, named)).toBe(200);
  },
);

test('a listener on all addresses answers every Host header', async () => {
  const { port } = await listenerOn('0.0.0.0');
  expect(await statusOf(port, 'attune.example.com')).toBe(200);
});

test('the endpoints of a listener answer GET and HEAD, and nothing else', async () => {
  const { port } = await listenerOn('127.0.0.1');
  const ask = async (path: string, init: RequestInit) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status, allow: headers.get('allow'), type: headers.get('content-type') };
  };
  for (const path of ['/', '/metrics', '/healthz', '/readyz?verbose']) {
    for (const method of ['GET', 'HEAD']) expect((await ask(path, { method })).status).toBe(200);
    expect(await ask(path, { method: 'POST', body: 'x' })).toMatchObject({ status: 405, allow: 'GET, HEAD' });
  }
  expect((await ask('/other', {})).status).toBe(404);
  expect((await ask('/', { method: 'HEAD' })).type).toBe('text/html; charset=utf-8');
});

test('/healthz and /readyz of a listener answer while the page is rendered', async () => {
  let end = (_page: Buffer) => {};
  const page = () =>
    new Promise<Buffer>((resolve) => {
      end = resolve;
    });
  const { port } = await listenerOn('127.0.0.1', undefined, { page });
  const pending = statusOf(port, 'localhost', '/');
  expect(await statusOf(port, 'localhost', '/healthz')).toBe(200);
  expect(await statusOf(port, 'localhost', '/readyz')).toBe(200);
  end(Buffer.from('page'));
  expect(await pending).toBe(200);
});

const closed = (socket: Socket) => once(socket.resume(), 'close');

test('a listener closes connections above its limit, and takes new ones when others have ended', async () => {
  const { open, port } = await listenerOn('127.0.0.1', { connections: 2, timeout: 60_000 });
  const used = [open(), open()];
  await Promise.all(used.map((socket) => once(socket, 'connect')));
  await closed(open());
  for (const socket of used) socket.destroy();
  await expect.poll(() => statusOf(port, 'localhost').catch(() => undefined)).toBe(200);
});

test.each([
  ['nothing', ''],
  ['an incomplete header', 'GET / HTTP/1.1\r\nHost: localhost\r\n'],
  ['an incomplete body', 'GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc'],
])('a listener closes the connection of a client that sends %s', async (_, sent) => {
  const { open } = await listenerOn('127.0.0.1', { connections: 2, timeout: 50 });
  const socket = open();
  socket.write(sent);
  await closed(socket);
  expect(socket.destroyed).toBe(true);
});
