import pLimit from 'p-limit';
import type { Call } from '../model/plan.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Document } from './documents.ts';
import { errorDetails } from './error-details.ts';
import { createPacer } from './pacer.ts';
import { announcedLimit } from './rate-limit-headers.ts';
import { decideRetry } from './retry.ts';
import { NetworkError, ServiceError } from './service-error.ts';
import { createTransport, type HttpRequest, type HttpResponse, type TransportOptions } from './transport.ts';

/** Reads; has no method that could write, so that whoever gets only this cannot either. */
export interface ServiceReader {
  /** @throws {ServiceError | NetworkError} */
  get(path: string, query?: Query): Promise<Document>;
}

export interface ServiceClient extends ServiceReader {
  /**
   * Sends a write. `undefined` where the answer holds no document.
   *
   * @throws {ServiceError | NetworkError}
   */
  send(call: Call, options?: SendOptions): Promise<Document | undefined>;
  close(): Promise<void>;
}

export type Query = Readonly<Record<string, string | number>>;

export interface SendOptions {
  /** Whether sending it twice does no more than sending it once. */
  readonly repeatable?: boolean;
  /**
   * Asked when an answer was lost: tells whether the write took effect after all. `undefined`: it did not, try again.
   */
  readonly lookUp?: () => Promise<{ readonly document?: Document } | undefined>;
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

export interface ClientOptions {
  /** Without `/api/v2`. */
  readonly address: URL;
  readonly token?: string;
  /** Requests at a time. @default 10 */
  readonly parallelism?: number;
  /** Requests per second. @default what the service announces, else unlimited */
  readonly rate?: number;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number;
  readonly clock?: Clock;
  readonly dispatcher?: TransportOptions['dispatcher'];
  readonly observe?: (event: ServiceEvent) => void;
}

const contentType = 'application/vnd.api+json';

/** One client per token: all of its requests share one pacer and one limit of requests at a time. */
export function createServiceClient(options: ClientOptions): ServiceClient {
  const { token, clock = systemClock, parallelism = 10, timeout = 30, observe = () => {} } = options;
  const base = `${options.address.pathname.replace(/\/$/, '')}/api/v2`;
  const limit = pLimit(parallelism);
  const pacer = createPacer({ clock, ...(options.rate !== undefined && { rate: options.rate }) });
  const transport = createTransport({
    origin: options.address.origin,
    connections: parallelism,
    timeout,
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });

  async function attempt(request: HttpRequest, path: string): Promise<HttpResponse> {
    await pacer.turn();
    const { method } = request;
    const started = clock.now();
    const answered = (status: number | undefined) =>
      observe({ type: 'attempt', method, path, status, milliseconds: clock.now() - started });
    try {
      const response = await transport.exchange(request);
      const announced = announcedLimit(response.headers);
      if (announced.limit !== undefined) pacer.announce(announced.limit);
      if (response.status === 429 || announced.remaining === 0) pacer.pause(announced.wait ?? 0);
      answered(response.status);
      // A service that echoes the token must not bring it into a message, a plan or a report.
      return token && response.text.includes(token)
        ? { ...response, text: response.text.replaceAll(token, '***') }
        : response;
    } catch (error) {
      answered(undefined);
      throw new NetworkError({ method, path }, describeNetworkFailure(error, timeout), {
        cause: error,
        hint: `check the address ${options.address.host} and the connection to it`,
      });
    }
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
    { repeatable = false, lookUp }: SendOptions,
  ): Promise<Document | undefined> {
    const { method } = request;
    let failures = 0;
    let throttled = 0;
    for (;;) {
      const outcome = await limit(() => attempt(request, path)).catch((error: unknown) => {
        if (error instanceof NetworkError) return error;
        throw error;
      });
      const lost = outcome instanceof NetworkError;
      if (!lost && outcome.status >= 200 && outcome.status < 300) return readDocument(outcome, method, path);

      if (!lost && outcome.status === 429) throttled += 1;
      else failures += 1;
      const asked = lost ? undefined : announcedLimit(outcome.headers).wait;
      const decision = decideRetry({
        method,
        failures,
        throttled,
        repeatable: repeatable || lookUp !== undefined,
        random: clock.random(),
        ...(!lost && { status: outcome.status }),
        ...(asked !== undefined && { askedWait: asked }),
      });
      if (decision.retry) {
        const isThrottle = !lost && outcome.status === 429;
        observe(
          isThrottle
            ? { type: 'throttled', wait: decision.wait }
            : { type: 'retry', method, path, wait: decision.wait },
        );
        await clock.sleep(decision.wait);
      }
      // Only where no answer came, or one of something between us and the service, can it have taken effect.
      if (lookUp && (lost || outcome.status >= 500)) {
        const found = await lookUp();
        if (found) return found.document;
      }
      if (!decision.retry) throw lost ? outcome : failed(outcome, method, path);
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
    close: () => transport.close(),
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

function readDocument(response: HttpResponse, method: string, path: string): Document | undefined {
  if (response.text.trim() === '') return undefined;
  const document = parseJson(response.text);
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document;
  // Any 2xx to a write is success. A read without a document has failed, whatever its status.
  if (method !== 'GET') return undefined;
  const kind = /^\s*</.test(response.text) ? 'an HTML page' : 'something that is not a JSON document';
  throw new NetworkError({ method, path }, `answered ${response.status} with ${kind}`, {
    status: response.status,
    hint: 'check that the address is the service itself and not a proxy or a sign-in page',
  });
}

function failed(response: HttpResponse, method: string, path: string): ServiceError | NetworkError {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    return new NetworkError(
      { method, path },
      `answered ${status}, a redirect to ${origin(headers.location)}`,
      {
        status,
        hint: 'Attune follows no redirect, so that the token goes nowhere else; set the address it leads to',
      },
    );
  }
  const hint = status === 401 ? 'set ATTUNE_TOKEN to a token that is valid for this address' : undefined;
  return new ServiceError({ method, path }, status, errorDetails(parseJson(response.text)), hint);
}

function origin(location: string | string[] | undefined): string {
  try {
    return new URL(String(location)).origin;
  } catch {
    return 'another path';
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeNetworkFailure(error: unknown, timeout: number): string {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return `no answer within ${timeout} s`;
  }
  if (code === 'ECONNREFUSED') return 'the connection was refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'the host was not found';
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'the connection was cut before the answer was whole';
  return `no usable answer (${code ?? message ?? 'unknown failure'})`;
}
