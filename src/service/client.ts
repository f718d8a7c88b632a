import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import type { Dispatcher } from 'undici';
import { AttuneError } from '../model/attune-error.ts';
import type { Call } from '../model/plan.ts';
import { isSuccess, readDocument, refusal } from './answer.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Document } from './documents.ts';
import { lostConnection } from './lost-connection.ts';
import { maskToken } from './mask-token.ts';
import { createPacer } from './pacer.ts';
import { announcedLimit } from './rate-limit-headers.ts';
import { decideRetry, maxFailures, throttleWait } from './retry.ts';
import { type FailedRequest, NetworkError } from './service-error.ts';
import { createTransport, type HttpRequest, type HttpResponse } from './transport.ts';

/** Reads; has no method that could write, so that whoever gets only this cannot either. */
export interface ServiceReader {
  /**
   * Reads a document. `path` is relative to `/api/v2`.
   *
   * @throws {@link ServiceError} or {@link NetworkError}, after the retries that a read is worth.
   * @example
   * ```ts
   * const { meta } = await client.get('/organizations/acme/workspaces', { 'page[size]': 1 });
   * console.log(meta !== undefined); // true
   * ```
   */
  get(path: string, query?: Query): Promise<Document>;
}

/** Reads and writes. {@link createService} has a typed method for each endpoint on top of it. */
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
  send(call: Call, options?: SendOptions): Promise<Document | undefined>;
  /**
   * Ends whatever still waits, retries or is under way: after the first failed read nobody wants the others.
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

/** What may be done where the answer of a write is lost. */
export interface SendOptions {
  /** Whether sending it twice does no more than sending it once. @default false */
  readonly repeatable?: boolean;
  /**
   * Asked when an answer was lost: tells whether the write took effect after all. `undefined`: it did not, try again.
   */
  readonly lookUp?: () => Promise<{ readonly document?: Document } | undefined>;
  /** How often it is sent at most, answers with 429 left aside. @default 5 */
  readonly tries?: number;
}

/** What a client tells while it works: for progress, `--verbose`, and counting. */
export type ServiceEvent =
  /** A request is wanted; it may wait for its turn. */
  | { readonly type: 'queued' | 'settled' }
  /** One attempt has ended; without a status no answer came. */
  | {
      readonly type: 'attempt';
      readonly method: string;
      readonly path: string;
      readonly status: number | undefined;
      readonly milliseconds: number;
    }
  | { readonly type: 'retry'; readonly method: string; readonly path: string; readonly wait: number }
  | { readonly type: 'throttled'; readonly wait: number };

/** Which service, as whom, and how fast. */
export interface ClientOptions {
  /** Without `/api/v2`. */
  readonly address: URL;
  /** The API token; an embedded service without tokens takes any, or none. */
  readonly token?: string | undefined;
  /** Requests at a time. @default 10 */
  readonly parallelism?: number;
  /** Requests per second. @default what the service announces, else unlimited */
  readonly rate?: number;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number;
  /** @default the system's */
  readonly clock?: Clock;
  /** Takes the place of undici's connection pool: for a proxy, or for tests. */
  readonly dispatcher?: Dispatcher;
  /** Told of every request, retry and wait. */
  readonly observe?: (event: ServiceEvent) => void;
}

const contentType = 'application/vnd.api+json';

/**
 * Speaks to a service: paced by the limit that it announces, with retries, `gzip`, and errors that tell the request.
 * One client per token: all of its requests share one pacer and one limit of requests at a time.
 *
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
  const { token, clock = systemClock, parallelism = 10, timeout = 30, observe = () => {} } = options;
  const base = `${options.address.pathname.replace(/\/$/, '')}/api/v2`;
  const limit = pLimit(parallelism);
  const closing = new AbortController();
  const { signal } = closing;
  // Each request that waits listens to it: as many as are sent at a time, and none for ever.
  setMaxListeners(0, signal);
  const pacer = createPacer({ clock, signal, ...(options.rate !== undefined && { rate: options.rate }) });
  const transport = createTransport({
    origin: options.address.origin,
    connections: parallelism,
    timeout,
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });

  async function attempt(request: HttpRequest, path: string): Promise<HttpResponse> {
    await pacer.turn();
    signal.throwIfAborted();
    const { method } = request;
    const started = clock.now();
    const answered = (status: number | undefined) =>
      observe({ type: 'attempt', method, path, status, milliseconds: clock.now() - started });
    const response = await transport.exchange(request).catch((error: unknown) => {
      answered(undefined);
      throw error;
    });
    const announced = announcedLimit(response.headers);
    if (announced.limit !== undefined) pacer.announce(announced.limit);
    // The wait began when the answer was sent: jobs that share a token would leave the limit unused otherwise.
    const wait = announced.wait && Math.max(announced.wait - (clock.now() - started) / 2, 0);
    if (response.status === 429) pacer.pause(throttleWait(wait));
    else if (announced.remaining === 0) pacer.pause(wait ?? 0);
    answered(response.status);
    // A service that echoes the token must not bring it into a message, a plan or a report.
    const { headers, text } = response;
    const masked = (value: string) => maskToken(value, token);
    return {
      ...response,
      text: masked(text),
      headers: { ...headers, ...(headers.location && { location: masked(String(headers.location)) }) },
    };
  }

  async function exchange(
    request: HttpRequest,
    path: string,
    sendOptions: SendOptions,
  ): Promise<Document | undefined> {
    observe({ type: 'queued' });
    try {
      return await exchangeUntilDone(request, path, sendOptions);
    } finally {
      observe({ type: 'settled' });
    }
  }

  async function exchangeUntilDone(
    request: HttpRequest,
    path: string,
    { repeatable = false, lookUp, tries = maxFailures }: SendOptions,
  ): Promise<Document | undefined> {
    const { method } = request;
    let failures = 0;
    let throttled = 0;
    let mayHaveTakenEffect = false;
    for (;;) {
      const outcome = await limit(() => attempt(request, path)).then(
        (response) => ({ response }),
        (cause: unknown) => ({ cause, response: undefined }),
      );
      const { response } = outcome;
      const status = response?.status;
      if (status === 429) throttled += 1;
      else failures += 1;
      const asked = { method, path, host: options.address.host, tries: failures + throttled };
      if (response && isSuccess(response, method)) return readDocument(response, asked);

      const failure = response
        ? refusal(response, asked)
        : lostConnection(asked, { ...outcome, timeout, token });
      const askedWait = response && announcedLimit(response.headers).wait;
      const decision = decideRetry({
        method,
        failures,
        maxFailures: tries,
        throttled,
        repeatable: repeatable || lookUp !== undefined,
        random: clock.random(),
        ...(status !== undefined && { status }),
        ...(askedWait !== undefined && { askedWait }),
      });
      if (decision.retry) {
        const { wait } = decision;
        observe(status === 429 ? { type: 'throttled', wait } : { type: 'retry', method, path, wait });
        await clock.sleep(wait, signal);
      }
      // No answer, or one of something between us and the service. From then on a refusal may be of the second try.
      mayHaveTakenEffect ||= status === undefined || status >= 500 || failure instanceof NetworkError;
      if (lookUp && mayHaveTakenEffect && status !== 429) {
        const found = await lookUp().catch((error: unknown) => {
          throw unknownEffect({ method, path }, failure, error);
        });
        if (found) return found.document;
      }
      if (!decision.retry) throw failure;
    }
  }

  function headers(method: HttpRequest['method']): Record<string, string> {
    return {
      accept: contentType,
      'user-agent': 'attune',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      // With or without a body: the service answers 415 to a bare POST otherwise.
      ...(method !== 'GET' && { 'content-type': contentType }),
    };
  }

  return {
    async get(path, query) {
      const full = withQuery(path, query);
      const document = await exchange(
        { method: 'GET', path: base + full.wire, headers: headers('GET') },
        full.shown,
        {},
      );
      if (document === undefined) {
        throw new NetworkError({ method: 'GET', path: full.shown }, 'the answer holds no document');
      }
      return document;
    },
    async send({ method, path, body }, sendOptions = {}) {
      return exchange(
        {
          method,
          path: base + path,
          headers: headers(method),
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        path,
        sendOptions,
      );
    },
    close: () => {
      closing.abort();
      return transport.close();
    },
  };
}

/** Brackets are percent-encoded on the wire (interface, section 4.1) and shown as they are meant. */
function withQuery(path: string, query: Query = {}): { wire: string; shown: string } {
  const entries = Object.entries(query);
  if (entries.length === 0) return { wire: path, shown: path };
  const wire = entries.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
  const shown = entries.map(([key, value]) => `${key}=${value}`);
  return { wire: `${path}?${wire.join('&')}`, shown: `${path}?${shown.join('&')}` };
}

function unknownEffect(request: FailedRequest, cause: Error, lookUp: unknown): NetworkError {
  const why = lookUp instanceof AttuneError ? lookUp.message : String(lookUp);
  return new NetworkError(
    request,
    `no whole answer came, and whether it took effect could not be looked up (${why})`,
    { cause, hint: 'plan again: what took effect is not done twice' },
  );
}
