import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AttuneError } from '../model/diagnostic.ts';
import { isLoopback } from '../service/address.ts';
import type { Health } from './health.ts';
import type { Metrics } from './metrics.ts';

export interface Endpoints extends Pick<Health, 'isReady' | 'page'> {
  readonly metrics: Pick<Metrics, 'contentType' | 'text'>;
}

/**
 * Serves the endpoints of `watch`. No endpoint takes a command. Clients are limited, because the process has to reconcile:
 * connections above the number are closed, as are those of a client that takes longer than the timeout, in milliseconds, to
 * send a request or to read a part of the response.
 */
export async function startListener(
  { host, port }: { readonly host: string; readonly port: number },
  endpoints: Endpoints,
  { connections, timeout } = { connections: 100, timeout: 10_000 },
) {
  let isOnLoopback = true;
  const limits = { headersTimeout: timeout, requestTimeout: timeout, connectionsCheckingInterval: timeout };
  const server = createServer(limits, (request, response) => {
    // The endpoints take no body: what a client sends is dropped.
    request.resume();
    answerTo(request, endpoints, isOnLoopback).then(
      (answer) => send(response, answer),
      () => send(response, text(500, 'internal error')),
    );
  });
  server.maxConnections = connections;
  server.timeout = timeout;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'the port is in use' : message;
    throw new AttuneError(`cannot listen on ${hostText(host)}:${port}: ${why}`, {
      code: 'not-listening',
      hint: 'stop the other process, or choose another address with --listen HOST:PORT',
      cause,
    });
  }
  const bound = server.address() as AddressInfo;
  // A loopback address has many spellings, such as LOCALHOST and 127.1.
  isOnLoopback = isLoopback(hostText(bound.address.replace(/^::ffff:/i, '')));
  return {
    url: `http://${hostText(host)}:${bound.port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

function text(status: number, line: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${line}\n` };
}

async function answerTo(
  { url = '/', method = '', headers: { host = '' } }: IncomingMessage,
  { isReady, page, metrics }: Endpoints,
  isOnLoopback: boolean,
): Promise<Answer> {
  // A page in a browser can make a host name resolve to loopback, and then read what a listener on loopback sends.
  if (isOnLoopback && !isLoopback(host.replace(/:\d+$/, '').toLowerCase()))
    return text(403, 'the Host header must name a loopback address, such as 127.0.0.1 or localhost');
  const routes: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': async () => text(200, 'ok'),
    '/readyz': async () => (isReady() ? text(200, 'ready') : text(503, 'not ready')),
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
    '/': async () => {
      const body = await page();
      if (body === undefined) return text(503, 'no report yet: the first cycle has not finished');
      return { status: 200, type: 'text/html; charset=utf-8', body };
    },
  };
  const path = url.replace(/\?.*$/s, '');
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (route === undefined) return text(404, 'not found');
  return method === 'GET' || method === 'HEAD' ? route() : text(405, 'method not allowed');
}

/** For a HEAD request, Node sends no body. */
function send(response: ServerResponse, { status, type, body }: Answer): void {
  if (status === 405) response.setHeader('allow', 'GET, HEAD');
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
