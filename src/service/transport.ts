import type { Dispatcher } from 'undici';
import type { WriteRequest } from '../model/plan.ts';
import type { HttpProxy } from './proxy.ts';

/** One exchange with the service, without any check of the answer. */
export interface HttpRequest {
  readonly method: 'GET' | WriteRequest['method'];
  /** With the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The status is the answer: what follows its header is ignored. */
  readonly statusOnly?: true;
}

/** The answer of the service, decoded. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty after a 204, whatever the service sends after its header, and if only the status was asked for. */
  readonly text: string;
}

/** Sends requests to one origin. */
export interface Transport {
  /** Throws the error of the connection: refused, cut, timed out, not trusted. */
  exchange(request: HttpRequest): Promise<HttpResponse>;
  /** Ends the connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly proxy?: HttpProxy | undefined;
  /** Overrides the connection pool: a fake in tests. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Sends requests to one origin over HTTP. What that needs is loaded for the first one. */
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

export const unknownEncoding = 'ERR_UNKNOWN_ENCODING';
