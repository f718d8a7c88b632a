import { createServer } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFor } from '../../src/service/address.ts';
import { clientOver, createServiceClient, createTransport } from '../../src/service/client.ts';
import { connectProxy } from '../support/connect-proxy.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { rowsIn } from '../support/rows.ts';
import { listen } from '../support/servers.ts';
import { rejection } from './nocked-client.ts';

const service = 'https://iac.example.com';
const used = (address: string, env: Readonly<Record<string, string>>) => {
  const proxy = proxyFor(new URL(address), env);
  return proxy && `${proxy.variable} ${proxy.shown}`;
};

test.each(rowsIn<[string, Record<string, string>, string | null]>`
- [https://iac.example.com, {HTTPS_PROXY: http://proxy:3128}, HTTPS_PROXY http://proxy:3128]
- [https://iac.example.com, {https_proxy: http://lower:1, HTTPS_PROXY: http://upper:1}, https_proxy http://lower:1]
- [https://iac.example.com, {https_proxy: '', HTTPS_PROXY: ' http://upper:1 '}, HTTPS_PROXY http://upper:1]
- [https://iac.example.com, {HTTP_PROXY: http://proxy:3128}, HTTP_PROXY http://proxy:3128]
- [https://iac.example.com, {HTTPS_PROXY: proxy:3128}, HTTPS_PROXY http://proxy:3128]
- [https://iac.example.com, {HTTPS_PROXY: https://proxy}, HTTPS_PROXY https://proxy]
- [https://iac.example.com, {HTTPS_PROXY: 'http://user:pa%40ss@proxy:3128'}, HTTPS_PROXY http://user:***@proxy:3128]
- [https://iac.example.com, {}, null]
`)('the proxy for %s with %o is %s', (address, env, expected) => {
  expect(used(address, env) ?? null).toBe(expected);
});

test.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])(
  'http addresses of this machine use no proxy, so the token is not sent unencrypted: %s',
  (address) => {
    const proxy = 'http://proxy:3128';
    expect(used(address, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy })).toBeUndefined();
  },
);

test.each([
  ['*', service],
  ['example.com', service],
  ['.example.com', service],
  ['*.example.com', service],
  ['other.test, iac.example.com', service],
  ['other.test iac.EXAMPLE.com', service],
  ['iac.example.com:443', service],
  ['iac.example.com:8443', 'https://iac.example.com:8443'],
  ['10.0.0.0/8', 'https://10.1.2.3'],
  ['10.1.2.3', 'https://10.1.2.3'],
  ['fd00::/8', 'https://[fd00::1]:8443'],
  ['[fd00::1]:8443', 'https://[fd00::1]:8443'],
  ['fd00::1', 'https://[fd00::1]:8443'],
])('no proxy is used if NO_PROXY is %s and the address is %s', (excluded, address) => {
  const env = { HTTPS_PROXY: 'http://proxy:3128' };
  expect(used(address, env)).toBeDefined();
  expect(used(address, { ...env, NO_PROXY: excluded })).toBeUndefined();
  expect(used(address, { ...env, no_proxy: excluded })).toBeUndefined();
});

test.each([
  ['ple.com', service],
  ['iac.example.com:8443', service],
  ['10.0.0.0/8', 'https://11.1.2.3'],
  ['10.0.0.0/99', 'https://10.1.2.3'],
  ['0.3', 'https://10.1.0.3'],
  ['', service],
])('the proxy is used if NO_PROXY is %j and the address is %s', (excluded, address) => {
  expect(used(address, { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: excluded })).toBeDefined();
});

test.each([
  ['socks5://user:secret-word@proxy:1080', 'unsupported scheme "socks5://"'],
  ['http://user:secret-word@proxy:port', 'it is not an address'],
])('an invalid proxy in %s is an error without its value', (value, why) => {
  expect(() => proxyFor(new URL(service), { https_proxy: value })).toThrow(
    expect.objectContaining({
      code: 'bad-address',
      message: `cannot use the proxy in https_proxy: ${why}`,
      hint: 'set https_proxy to an address such as http://proxy.example.com:3128, or add iac.example.com to NO_PROXY',
    }),
  );
});

test('the credentials of a proxy are masked in every spelling that an output can contain', () => {
  const proxy = proxyFor(new URL(service), { HTTPS_PROXY: 'http://user:pa%40ss-word@proxy:3128' });
  expect(proxy?.secrets).toEqual(['dXNlcjpwYUBzcy13b3Jk', 'pa%40ss-word', 'pa@ss-word']);
  expect(Buffer.from('dXNlcjpwYUBzcy13b3Jk', 'base64').toString()).toBe('user:pa@ss-word');
});

const settings = { address: new URL(service), token: 'token', clock: jumpingClock() };

/** The host exists for the proxy only. */
function clientFor(address: string) {
  const client = createServiceClient({ ...settings, env: { HTTPS_PROXY: address } });
  onTestFinished(() => client.close());
  return client;
}

/** A service without a certificate, which only the transport accepts. */
function plainClientFor(address: string, { connections = 1, timeout = 30 } = {}) {
  const proxy = proxyFor(settings.address, { HTTPS_PROXY: address });
  const transport = createTransport({ origin: 'http://iac.example.test', connections, timeout, proxy });
  const client = clientOver(transport, proxy, { ...settings, parallelism: connections, timeout });
  onTestFinished(() => client.close());
  return client;
}

test('requests through a proxy share as many tunnels as requests run at a time, and the service never sees the credentials', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(JSON.stringify([request.headers.host, request.headers['proxy-authorization'] ?? null]));
    response.end('{"data":[]}');
  });
  const proxy = await connectProxy({ port: await listen(server) });
  const client = plainClientFor(`http://user:pass@${proxy.host}`, { connections: 2 });
  await Promise.all(Array.from({ length: 8 }, () => client.get('/x')));
  expect(new Set(seen)).toEqual(new Set(['["iac.example.test",null]']));
  expect(seen).toHaveLength(8);
  expect(proxy.asked.slice(0, 2)).toEqual(Array(2).fill('iac.example.test:80 Basic dXNlcjpwYXNz'));
  expect(proxy.asked).toHaveLength(2);
});

/** A client through a proxy to a service that writes so to each request. */
async function rawClient(answer: string, options: object = {}) {
  const server = createRawServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.write(answer));
    onTestFinished(() => void socket.destroy());
  });
  const proxy = await connectProxy({ port: await listen(server) });
  return plainClientFor(`http://${proxy.host}`, options);
}

test('a request through a proxy to a service that does not answer ends after the timeout', async () => {
  const error = await rejection((await rawClient('', { timeout: 0.05 })).get('/x'));
  expect(error.message).toBe('GET /x: no response within 0.05 s');
});

test.each(rowsIn<{ status: number; user: string; tries: number }>`
- {status: 407, user: 'user:secret-word@', tries: 1}
- {status: 403, user: '', tries: 1}
- {status: 502, user: '', tries: 5}
`)('a $status of the proxy to "$user" is reported with a hint', async ({ status, user, tries }) => {
  const proxy = await connectProxy({ port: 1, status });
  const error = await rejection(clientFor(`http://${user}${proxy.host}`).get('/x'));
  const shown = `http://${user.replace('secret-word', '***')}${proxy.host}`;
  const end = tries > 1 ? ` (${tries} tries)` : '';
  expect([error.message, error.hint]).toEqual([
    `GET /x: the proxy answered ${status}`,
    `check the address iac.example.com and the proxy ${shown} in HTTPS_PROXY, or add iac.example.com to NO_PROXY${end}`,
  ]);
  expect(proxy.asked).toHaveLength(tries);
});

test('a write that the proxy refuses fails without a look-up, because nothing was sent', async () => {
  const proxy = await connectProxy({ port: 1, status: 407 });
  const lookUp = async () => {
    throw new Error('looked up');
  };
  const client = clientFor(`http://${proxy.host}`);
  const error = await rejection(client.send({ method: 'POST', path: '/x' }, { lookUp }));
  expect(error.message).toContain('the proxy answered 407');
});

test('a proxy that closes the connection instead of an answer is asked once for each try', async () => {
  let connections = 0;
  const proxy = createRawServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).on('data', () => socket.destroy());
  });
  const error = await rejection(clientFor(`http://127.0.0.1:${await listen(proxy)}`).get('/x'));
  expect(error.message).toBe('GET /x: the connection was closed before the response was complete');
  expect(connections).toBe(5);
});

test('a proxy that cannot be reached is named as the cause, without its password', async () => {
  const error = await rejection(clientFor('http://user:secret-word@127.0.0.1:1').get('/x'));
  expect(error.message).toBe('GET /x: the connection was refused');
  expect(error.hint).toBe(
    'check the address iac.example.com and the proxy http://user:***@127.0.0.1:1 in HTTPS_PROXY, or add iac.example.com to NO_PROXY (5 tries)',
  );
});
