import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type ListenerLimits, startListener } from '../../src/watch/listener.ts';

async function listenerOn(host: string, limits?: ListenerLimits) {
  const endpoints = {
    isReady: () => true,
    page: async () => 'page',
    metrics: { contentType: 'text/plain', text: async () => 'metrics' },
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

async function statusOf(port: number, host: string): Promise<number | undefined> {
  const request = get({ host: '127.0.0.1', port, path: '/metrics', headers: { host }, agent: false });
  const [response] = await once(request, 'response');
  await text(response);
  return response.statusCode;
}

test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '127.1', '0x7f000001'])(
  'a listener on loopback that is written as %s refuses a Host header with another name',
  async (host) => {
    const { port } = await listenerOn(host);
    expect(await statusOf(port, 'attacker.example')).toBe(403);
    expect(await statusOf(port, `localhost:${port}`)).toBe(200);
  },
);

test('a listener on all addresses answers every Host header', async () => {
  const { port } = await listenerOn('0.0.0.0');
  expect(await statusOf(port, 'attune.example.com')).toBe(200);
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
