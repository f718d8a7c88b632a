import pLimit from 'p-limit';
import { AttuneError } from '../model/diagnostic.ts';
import type { HttpProxy } from './address.ts';
import type { Capabilities } from './capabilities.ts';
import type { Clock } from './clock.ts';
import type { Document } from './documents.ts';
import { answerOf } from './failures.ts';
import type { HttpRequest, HttpResponse, Transport } from './http-transport.ts';
import { announcedLimit, createPacer, maxFailures, retryWait } from './pacer.ts';
import { type FailedRequest, isRefusedAsDone, NetworkError, ServiceError } from './service-error.ts';
import { maskInAnswer, maskToken } from './token.ts';

/** How a write is retried if its response is lost. */
export interface SendOptions {
  /** Whether sending it twice has the same effect as sending it once. @default false */
  readonly repeatable?: boolean;
  /**
   * Called when a response was lost: before each repetition, or, if the write is `repeatable`, when no repetition has
   * succeeded. `undefined` means that the write had no effect.
   */
  readonly lookUp?: (() => Promise<LookUpResult | undefined>) | undefined;
  /** The maximum number of attempts; responses with 429 do not count. @default 5 */
  readonly tries?: number;
}

/** What a look-up found after the answer of a write was lost. Without `failure` and `unknown`, the write took effect. */
export interface LookUpResult {
  readonly document?: Document;
  /** Why the write can no longer succeed. */
  readonly failure?: AttuneError;
  /** Why it is not known whether the write took effect. */
  readonly unknown?: string;
}

interface Exchange {
  readonly request: HttpRequest;
  readonly path: string;
  readonly options: SendOptions;
}

interface ExchangeOptions {
  readonly transport: Transport;
  readonly proxy: HttpProxy | undefined;
  readonly capabilities: Capabilities;
  readonly signal: AbortSignal;
  readonly address: URL;
  readonly token?: string | undefined;
  readonly tokenSource?: string | undefined;
  readonly parallelism: number;
  readonly rate?: number | undefined;
  readonly timeout: number;
  readonly clock: Clock;
  readonly observe: (event: ServiceEvent) => void;
}

/** Sends the requests of one token: they share a pacer, and the number of requests at a time. */
export function createExchange(options: ExchangeOptions) {
  const limit = pLimit(options.parallelism);
  const attempt = createAttempt(options);
  const limited: Attempt = (...request) => limit(() => attempt(...request));
  return (wanted: Exchange) => exchange(wanted, limited, options);
}

async function exchange({ request, path, options }: Exchange, attempt: Attempt, context: ExchangeOptions) {
  const { method } = request;
  const { repeatable = false, lookUp, tries = maxFailures } = options;
  const { clock, timeout, token, tokenSource, proxy, observe } = context;
  const { host } = context.address;
  let failures = 0;
  let throttled = 0;
  let mayHaveTakenEffect = false;
  for (;;) {
    const outcome = await attempt(request, path).then(
      (response) => ({ response, cause: undefined }),
      (cause: unknown) => ({ cause, response: undefined }),
    );
    const { response } = outcome;
    const status = response?.status;
    if (status === 429) throttled += 1;
    else failures += 1;
    const asked = { method, path, host, tries: failures + throttled, tokenSource };
    const answer = answerOf({ ...outcome, timeout, token, proxy }, asked);
    if (!answer.failure) return answer.document;
    const { failure } = answer;

    const permanent = failure instanceof NetworkError ? failure.permanent : undefined;
    if (permanent === 'not-sent' && !mayHaveTakenEffect) throw failure;
    const wait = retryWait({
      method,
      failures,
      maxFailures: tries,
      throttled,
      repeatable: repeatable || lookUp !== undefined,
      random: clock.random(),
      status,
      permanent: permanent !== undefined,
      askedWait: response && announcedLimit(response.headers).wait,
    });
    if (wait !== undefined) {
      if (status === 429) observe({ type: 'throttled', wait });
      else observe({ type: 'retry', method, path, wait });
      await clock.sleep(wait, context.signal);
    }
    // No response, or one from a proxy: a later refusal can be caused by this attempt if it took effect.
    mayHaveTakenEffect ||=
      (outcome.cause as { readonly code?: unknown } | undefined)?.code !== 'ECONNREFUSED' &&
      (status === undefined || status >= 500 || failure instanceof NetworkError);
    if (lookUp && mayHaveTakenEffect && status !== 429 && !(repeatable && wait !== undefined)) {
      const found = await lookedUp(lookUp, asked, failure);
      if (found) return found.document;
      if (!repeatable && isRefusedAsDone(failure))
        throw unknownEffect(asked, failure, 'it was refused as already done, and a read does not show it');
    }
    if (wait === undefined) throw failure;
  }
}

async function lookedUp(lookUp: NonNullable<SendOptions['lookUp']>, request: FailedRequest, cause: Error) {
  const found = await lookUp().catch((error: unknown): LookUpResult => {
    return { unknown: error instanceof AttuneError ? error.message : String(error) };
  });
  if (found?.failure) throw found.failure;
  if (found?.unknown !== undefined) throw unknownEffect(request, cause, found.unknown);
  return found;
}

function unknownEffect(request: FailedRequest, cause: Error, why: string): NetworkError {
  const repetition =
    cause instanceof ServiceError ? ` the last attempt was answered with ${cause.status},` : '';
  return new NetworkError(
    request,
    `the response was lost,${repetition} and it is unknown whether the call took effect (${why})`,
    { cause, hint: 'plan again: changes that took effect are not repeated', effect: 'unknown' },
  );
}

/** Events of a client: for progress, `--verbose`, and counting. */
export type ServiceEvent =
  /** A request is wanted; it may wait for its turn. */
  | { readonly type: 'queued' | 'finished' }
  /** One attempt has ended; without a status no answer came. */
  | {
      readonly type: 'attempt';
      readonly method: string;
      readonly path: string;
      readonly status: number | undefined;
      readonly milliseconds: number;
      /** The requests that the token has left, if the service announces it. */
      readonly remaining?: number | undefined;
    }
  | { readonly type: 'retry'; readonly method: string; readonly path: string; readonly wait: number }
  /** Requests wait for the rate limit: after a 429, or for the next window of a limit that is used up. */
  | { readonly type: 'throttled'; readonly wait: number };

type Attempt = (request: HttpRequest, path: string) => Promise<HttpResponse>;

/** The limits that a response announces apply to all requests of the token. */
function createAttempt(options: ExchangeOptions): Attempt {
  const { transport, token, signal, observe, capabilities, clock, rate } = options;
  const onWait = (wait: number) => observe({ type: 'throttled', wait });
  const pacer = createPacer({ clock, signal, onWait, rate });
  return async (request, path) => {
    await pacer.turn();
    signal.throwIfAborted();
    const { method } = request;
    const started = clock.now();
    const answered = (status: number | undefined, remaining?: number) =>
      observe({ type: 'attempt', method, path, status, milliseconds: clock.now() - started, remaining });
    const response = await transport.exchange(request).catch((error: unknown) => {
      pacer.ended();
      answered(undefined);
      throw error;
    });
    capabilities.readHeaders(response.headers);
    const announced = announcedLimit(response.headers);
    pacer.answered(announced, { sentAt: started, isRefused: response.status === 429 });
    pacer.ended();
    answered(response.status, announced.remaining);
    // A service can echo the token, which must not appear in a message, a plan or a report.
    return masked(response, token);
  };
}

function masked(response: HttpResponse, token: string | undefined): HttpResponse {
  const { headers, text } = response;
  const location = headers.location && { location: maskToken(String(headers.location), token) };
  return { ...response, text: maskInAnswer(text, token), headers: { ...headers, ...location } };
}
