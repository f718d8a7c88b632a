import { promisify } from 'node:util';
import { gunzip, type ZlibOptions } from 'node:zlib';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { WriteRequest } from '../model/plan.ts';
import type { HttpProxy } from './address.ts';

export interface HttpRequest {
  readonly method: 'GET' | WriteRequest['method'];
  /** With the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The status is the answer: what follows its header is ignored. */
  readonly statusOnly?: true;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty after a 204, whatever the service sends after its header, and if only the status was asked for. */
  readonly text: string;
}

export interface Transport {
  /** Throws the error of the connection: refused, cut, timed out, not trusted. */
  exchange(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  readonly timeout: number;
  readonly proxy?: HttpProxy | undefined;
  readonly dispatcher?: Dispatcher | undefined;
}

/** Bytes; far above the size of a page of 100 workspaces. */
const largestBody = 64 * 1024 * 1024;

export function openTransport(options: TransportOptions): Transport {
  const { origin, timeout } = options;
  const milliseconds = timeout * 1000;
  const dispatcher = options.dispatcher ?? connectionPool(options);
  return {
    async exchange({ method, path, headers, body, statusOnly }) {
      const sent = {
        origin,
        path,
        method,
        headers: { ...headers, 'accept-encoding': 'gzip' },
        headersTimeout: milliseconds,
        bodyTimeout: milliseconds,
        signal: AbortSignal.timeout(milliseconds),
      };
      // A body of `null` is not sent as none by every dispatcher.
      const response = await dispatcher.request(body === undefined ? sent : { ...sent, body });
      const { statusCode: status, headers: answered } = response;
      if (status === 204 || statusOnly) {
        // The parser fails on a body after a 204, but the write has succeeded.
        response.body.on('error', () => {}).resume();
        return { status, headers: answered, text: '' };
      }
      const bytes = Buffer.from(await response.body.arrayBuffer());
      return { status, headers: answered, text: await decodeBody(bytes, answered['content-encoding']) };
    },
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.destroy();
    },
  };
}

/** A pool for the one origin, which costs less per request than an agent for any origin. */
function connectionPool({ origin, connections, proxy, ...options }: TransportOptions): Dispatcher {
  const timeout = options.timeout * 1000;
  const connect = buildConnector({ timeout });
  const limits = { connections, pipelining: 1, maxResponseSize: largestBody };
  if (!proxy) return new Pool(origin, { ...limits, connect });
  return new ProxyAgent({
    ...limits,
    uri: `${proxy.url.protocol}//${proxy.url.host}`,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    requestTls: { timeout },
    clientFactory: (proxyOrigin) => {
      const pool = new Pool(proxyOrigin, { headersTimeout: timeout, connect });
      const ask: (options: Dispatcher.ConnectOptions) => Promise<Dispatcher.ConnectData> =
        pool.connect.bind(pool);
      return Object.assign(pool, {
        connect: (options: Dispatcher.ConnectOptions) => ask(options).catch(closedByProxy),
      });
    },
  });
}

/** After this error of a tunnel, undici would open the next one at once, without end, and fail no request. */
function closedByProxy(error: Error & { readonly code?: string }): never {
  throw error.code === 'UND_ERR_SOCKET' ? Object.assign(error, { code: 'ECONNRESET' }) : error;
}

async function decodeBody(body: Buffer, encoding: string | string[] | undefined): Promise<string> {
  const coding = String(encoding ?? 'identity')
    .trim()
    .toLowerCase();
  if (coding === 'identity' || body.length === 0) return utf8.decode(body);
  if (coding !== 'gzip') throw Object.assign(new Error(coding), { code: 'ERR_UNKNOWN_ENCODING' });
  return utf8.decode(await unzip(body, { maxOutputLength: largestBody }));
}

const unzip = promisify<Buffer, ZlibOptions, Buffer>(gunzip);

/** Ignores a byte order mark, and does not fail on bytes that are not UTF-8: the JSON parser reports these. */
const utf8 = new TextDecoder('utf-8');
