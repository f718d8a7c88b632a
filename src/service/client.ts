/*
 * Requests to a service: paced, repeated where that is harmless, and each failure as an error with what to do about it.
 *
 *   get, send -> exchange: attempts, the look-up of a write whose answer was lost -> document or error
 *   attempt   -> pacer: when it may be sent -> transport -> the limit and the features that the answer shows
 *
 * Paths are in endpoints.ts, bodies in call-codec.ts, the names and types of both dialects in wire-codec.ts.
 */

import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { AttuneError } from '../model/diagnostic.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import type { WriteRequest } from '../model/plan.ts';
import { type HttpProxy, parseAddress, proxyFor } from './address.ts';
import { type Capabilities, createCapabilities } from './capabilities.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Document } from './documents.ts';
import { createExchange, type SendOptions, type ServiceEvent } from './exchange.ts';
import type { HttpRequest, Transport, TransportOptions } from './http-transport.ts';
import { NetworkError } from './service-error.ts';

/** Reads only: it has no methods that write. */
export interface ServiceReader {
  /** What the service offers, as far as it is known by now. */
  readonly capabilities: Capabilities;
  /**
   * Reads a document. `path` is relative to `/api/v2`.
   *
   * @throws {@link ServiceError} or {@link NetworkError}, after retries.
   * @example
   * ```ts
   * const { meta } = await client.get('/organizations/acme/workspaces', { 'page[size]': 1 });
   * console.log(meta !== undefined); // true
   * ```
   */
  get(path: string, query?: Query): Promise<Document>;
}

/** Reads and writes. `createService` of `attune/service` has typed methods for the endpoints of the interface on top of it. */
export interface ServiceClient extends ServiceReader {
  /**
   * Sends a write. `undefined` where the answer holds no document.
   *
   * @throws {@link ServiceError} or {@link NetworkError}
   * @example
   * ```ts
   * const document = await client.send({ method: 'POST', path: '/workspaces/ws-network/actions/lock' });
   * console.log(document?.data !== undefined); // true
   * ```
   */
  send(call: WriteRequest, options?: SendOptions): Promise<Document | undefined>;
  /**
   * Cancels all requests that wait, retry or are in progress.
   *
   * @example
   * ```ts
   * await client.close();
   * ```
   */
  close(): Promise<void>;
}

/** Parameters of a query by their names; brackets are encoded on the wire. */
export type Query = Readonly<Record<string, string | number>>;

/** The address, the token and the pace of a client. */
export interface ClientOptions {
  /** Without `/api/v2`. */
  readonly address: URL;
  /** The API token; an embedded service without tokens accepts any, or none. */
  readonly token?: string | undefined;
  /** The variable or the file that the token comes from, for messages. @default 'ATTUNE_TOKEN' */
  readonly tokenSource?: string | undefined;
  /** Requests at a time. @default 10 */
  readonly parallelism?: number;
  /** Requests per second. @default the limit that the service announces, else unlimited */
  readonly rate?: number | undefined;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number | undefined;
  /** The features that the service lacks. @default those that its responses show */
  readonly without?: readonly Feature[];
  /** @default the system's */
  readonly clock?: Clock;
  /** Holds the proxy in `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Overrides undici's connection pool and the proxy: a fake in tests. */
  readonly dispatcher?: Dispatcher;
  /** Gets every request, retry and wait. */
  readonly observe?: (event: ServiceEvent) => void;
}

const contentType = 'application/vnd.api+json';

/**
 * Sends requests to a service: paced by the limit that it announces, with retries, `gzip`, and errors that show the
 * request.
 * One client per token: all of its requests share one pacer and one limit of requests at a time.
 *
 * @throws {@link AttuneError} if the address would send the token unencrypted, or is none of a service.
 * @example
 * ```ts
 * const patient = createServiceClient({
 *   address: new URL(address),
 *   token: process.env.ATTUNE_TOKEN,
 *   rate: 20,
 *   observe: (event) => {
 *     if (event.type === 'attempt') console.log(event.method, event.status); // GET 200
 *   },
 * });
 * await patient.get('/organizations/acme');
 * ```
 */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { parallelism = defaultParallelism, timeout = defaultTimeout, dispatcher } = options;
  const address = parseAddress(String(options.address));
  const proxy = dispatcher ? undefined : proxyFor(address, options.env ?? process.env);
  const transport = createTransport({
    origin: address.origin,
    proxy,
    connections: parallelism,
    timeout: Math.min(timeout, longestTimeout),
    dispatcher,
  });
  return clientOver(transport, proxy, { ...options, address });
}

export function createTransport(options: TransportOptions): Transport {
  let opened: Promise<Transport> | undefined;
  return {
    async exchange(request) {
      opened ??= import('./http-transport.ts').then(({ openTransport }) => openTransport(options));
      return (await opened).exchange(request);
    },
    close: async () => (await opened)?.close(),
  };
}

const defaultParallelism = 10;
const defaultTimeout = 30;
/** Timers have at most 2^31 - 1 milliseconds; a longer one fires at once. */
const longestTimeout = 2_147_483;

export function clientOver(
  transport: Transport,
  proxy: HttpProxy | undefined,
  options: Omit<ClientOptions, 'dispatcher' | 'env'> & { readonly dialect?: Dialect },
): ServiceClient {
  const { address, token, observe = ignore, clock = systemClock } = options;
  const { parallelism = defaultParallelism, timeout = defaultTimeout } = options;
  const base = `${address.pathname.replace(/\/$/, '')}/api/v2`;
  const closing = new AbortController();
  const { signal } = closing;
  // Each waiting request adds a listener, so the number of listeners is that of requests at a time.
  setMaxListeners(0, signal);
  const capabilities = createCapabilities(options.without, options.dialect);
  const sent = { ...options, parallelism, timeout, observe, clock };
  const exchange = createExchange({ ...sent, transport, proxy, capabilities, signal });

  const observed = async (wanted: Parameters<typeof exchange>[0]): Promise<Document | undefined> => {
    observe({ type: 'queued' });
    try {
      return await exchange(wanted);
    } catch (error) {
      if (!signal.aborted || error instanceof AttuneError) throw error;
      const { method } = wanted.request;
      throw new NetworkError({ method, path: wanted.path }, 'the client was closed', { cause: error });
    } finally {
      observe({ type: 'finished' });
    }
  };

  return {
    capabilities,
    async get(path, query) {
      const { wire, shown } = withQuery(path, query);
      const request = { method: 'GET', path: base + wire, headers: headersOf('GET', token) } as const;
      const document = await observed({ request, path: shown, options: {} });
      if (document !== undefined) return document;
      throw new NetworkError({ method: 'GET', path: shown }, 'the response has no document');
    },
    async send({ method, path, body }, sendOptions = {}) {
      const request = {
        method,
        path: base + path,
        headers: headersOf(method, token),
        body: body === undefined ? undefined : JSON.stringify(body),
      };
      return observed({ request, path, options: sendOptions });
    },
    close: () => {
      closing.abort();
      return transport.close();
    },
  };
}

const ignore = () => {};

function headersOf(method: HttpRequest['method'], token: string | undefined): HttpRequest['headers'] {
  const headers: Record<string, string> = { accept: contentType, 'user-agent': 'attune' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  // Sent even without a body, because the service answers 415 to a POST without it.
  if (method !== 'GET') headers['content-type'] = contentType;
  return headers;
}

/** Brackets are percent-encoded on the wire (interface, section 4.1) and shown decoded. */
function withQuery(path: string, query: Query = {}): { wire: string; shown: string } {
  const entries = Object.entries(query);
  if (entries.length === 0) return { wire: path, shown: path };
  const wire = entries.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  const shown = entries.map(([key, value]) => `${key}=${value}`);
  return { wire: `${path}?${wire.join('&')}`, shown: `${path}?${shown.join('&')}` };
}
