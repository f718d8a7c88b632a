import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';

/** One exchange with the service, without any judgement of what came back. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Transport {
  /** Throws whatever the connection throws: refused, cut, timed out. */
  exchange(request: HttpRequest): Promise<HttpResponse>;
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  /** Seconds per attempt. */
  readonly timeout: number;
  /** Takes the place of the connection pool, for tests. */
  readonly dispatcher?: Dispatcher;
}

/** No page of 100 workspaces comes near this; a service that sends more is not one that we know. */
const largestBody = 64 * 1024 * 1024;
const unzip = promisify(gunzip);

export function createTransport(options: TransportOptions): Transport {
  const milliseconds = options.timeout * 1000;
  // A pool for the one origin costs a good part less per request than an agent for any.
  const dispatcher =
    options.dispatcher ??
    new Pool(options.origin, {
      connections: options.connections,
      pipelining: 1,
      maxResponseSize: largestBody,
    });

  return {
    async exchange({ method, path, headers, body }) {
      const response = await dispatcher.request({
        origin: options.origin,
        path,
        method,
        headers: { ...headers, 'accept-encoding': 'gzip' },
        headersTimeout: milliseconds,
        bodyTimeout: milliseconds,
        signal: AbortSignal.timeout(milliseconds),
        ...(body !== undefined && { body }),
      });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const zipped = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
      const plain = zipped ? await unzip(bytes, { maxOutputLength: largestBody }) : bytes;
      return { status: response.statusCode, headers: response.headers, text: plain.toString('utf8') };
    },
    async close() {
      if (options.dispatcher === undefined) await dispatcher.destroy();
    },
  };
}
