import type { Capabilities } from './capabilities.ts';
import type { Clock } from './clock.ts';
import { maskInAnswer, maskToken } from './mask-token.ts';
import type { Pacer } from './pacer.ts';
import { announcedLimit } from './retry.ts';
import type { HttpRequest, HttpResponse, Transport } from './transport.ts';

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
      readonly remaining?: number;
    }
  | { readonly type: 'retry'; readonly method: string; readonly path: string; readonly wait: number }
  /** Requests wait for the rate limit: after a 429, or for the next window of a limit that is used up. */
  /** The service is still unavailable after the usual attempts, and is tried for longer. */
  | { readonly type: 'unavailable'; readonly host: string; readonly retryFor: number; readonly why: string }
  | { readonly type: 'throttled'; readonly wait: number };

/** Sends a request once, when it is its turn. `path` is how it is shown. */
export type Attempt = (request: HttpRequest, path: string) => Promise<HttpResponse>;

export interface AttemptOptions {
  readonly transport: Transport;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly token: string | undefined;
  /** After it nothing more is sent. */
  readonly signal: AbortSignal;
  readonly observe: (event: ServiceEvent) => void;
  readonly capabilities: Capabilities;
}

/** The limits that a response announces apply to all requests of the token. */
export function createAttempt(options: AttemptOptions): Attempt {
  const { transport, pacer, clock, token, signal, observe, capabilities } = options;
  return async (request, path) => {
    await pacer.turn();
    signal.throwIfAborted();
    const { method } = request;
    const started = clock.now();
    const answered = (status: number | undefined, remaining?: number) =>
      observe({
        type: 'attempt',
        method,
        path,
        status,
        milliseconds: clock.now() - started,
        ...(remaining !== undefined && { remaining }),
      });
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
