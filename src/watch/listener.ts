import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AttuneError } from '../model/attune-error.ts';
import { isLoopback } from '../service/address.ts';

/** Where a listener listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** The answers of the endpoints. They only read. */
export interface Endpoints {
  /** Whether the process is ready, for `/readyz`. */
  isReady(): boolean;
  /** The page of the latest report, for `/`; `undefined` before there is one. */
  page(): Promise<Buffer | undefined>;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
}

const plainText = 'text/plain; charset=utf-8';

/** How much clients can take of the process, which has to reconcile. */
export interface ListenerLimits {
  /** Connections at a time; further ones are closed. */
  readonly connections: number;
  /** Milliseconds in which a client has to send a request, and to take each part of the answer. */
  readonly timeout: number;
}

const defaultLimits: ListenerLimits = { connections: 100, timeout: 10_000 };

/**
 * Serves the endpoints of `watch`. No endpoint takes a command.
 *
 * @throws {AttuneError} if the address cannot be listened on.
 */
export async function startListener(
  address: ListenAddress,
  endpoints: Endpoints,
  { connections, timeout }: ListenerLimits = defaultLimits,
): Promise<Listener> {
  const routes = routesOf(endpoints);
  let isOnLoopback = true;
  const limits = { headersTimeout: timeout, requestTimeout: timeout, connectionsCheckingInterval: timeout };
  const server = createServer(limits, (request, response) => {
    const path = (request.url ?? '/').replace(/\?.*$/s, '');
    const route = routes.get(path);
    // The endpoints take no body: what a client sends is dropped.
    request.resume();
    if (isOnLoopback && !isLocal(request.headers.host)) {
      const body = 'the Host header must name a loopback address, such as 127.0.0.1 or localhost\n';
      return send(response, { status: 403, type: plainText, body });
    }
    if (route === undefined) return send(response, { status: 404, type: plainText, body: 'not found\n' });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return send(response, { status: 405, type: plainText, body: 'method not allowed\n' });
    }
    return route().then(
      (answer) => send(response, answer),
      () => send(response, { status: 500, type: plainText, body: 'internal error\n' }),
    );
  });
  server.maxConnections = connections;
  server.timeout = timeout;
  server.listen(address.port, address.host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw notListening(address, cause);
  }
  const { address: bound, port } = server.address() as AddressInfo;
  // A loopback address has many spellings, such as LOCALHOST and 127.1.
  isOnLoopback = isLoopback(hostText(bound.replace(/^::ffff:/i, '')));
  return {
    url: `http://${hostText(address.host)}:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function routesOf({ isReady, page, metrics }: Endpoints): ReadonlyMap<string, () => Promise<Answer>> {
  const text = (status: number, body: string): Answer => ({ status, type: plainText, body });
  return new Map<string, () => Promise<Answer>>([
    ['/healthz', async () => text(200, 'ok\n')],
    ['/readyz', async () => (isReady() ? text(200, 'ready\n') : text(503, 'not ready\n'))],
    ['/metrics', async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() })],
    [
      '/',
      async () => {
        const body = await page();
        if (body === undefined) return text(503, 'no report yet: the first cycle has not finished\n');
        return { status: 200, type: 'text/html; charset=utf-8', body };
      },
    ],
  ]);
}

/** For a HEAD request, Node sends no body. */
function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/** A page in a browser can make a host name resolve to loopback, and then read what a listener on loopback sends. */
function isLocal(host = ''): boolean {
  return isLoopback(host.replace(/:\d+$/, '').toLowerCase());
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function notListening({ host, port }: ListenAddress, cause: unknown): AttuneError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'this user may not listen on the port',
    EADDRNOTAVAIL: 'no network interface of this machine has the address',
    ENOTFOUND: 'the host name is unknown',
  };
  const why = reasons[String(code)] ?? (cause instanceof Error ? cause.message : String(cause));
  return new AttuneError(`cannot listen on ${hostText(host)}:${port}: ${why}`, {
    code: 'not-listening',
    hint: 'stop the other process, or choose another address with --listen HOST:PORT',
    cause,
  });
}
