import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { WriteRequest } from '../model/plan.ts';
import type { HttpProxy } from './proxy.ts';

/** Bytes; far above the size of a page of 100 workspaces. */
const largestBody = 64 * 1024 * 1024;

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

interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly proxy?: HttpProxy | undefined;
  /** Overrides the connection pool: a fake in tests. */
  readonly dispatcher?: Dispatcher;
}

/** Sends requests to one origin. undici is loaded for the first one. */
export function createTransport(options: TransportOptions): Transport {
  const { origin, connections, timeout } = options;
  const milliseconds = timeout * 1000;
  let opened: Promise<Dispatcher> | undefined;
  const open = async () => {
    const pool = { origin, connections, timeout: milliseconds, largestBody };
    return (await import('./connection-pool.ts')).connectionPool(pool, options.proxy);
  };

  return {
    async exchange({ method, path, headers, body, statusOnly }) {
      opened ??= options.dispatcher ? Promise.resolve(options.dispatcher) : open();
      const dispatcher = await opened;
      const response = await dispatcher.request({
        origin,
        path,
        method,
        headers: { ...headers, 'accept-encoding': 'gzip' },
        headersTimeout: milliseconds,
        bodyTimeout: milliseconds,
        signal: AbortSignal.timeout(milliseconds),
        ...(body !== undefined && { body }),
      });
      const { statusCode: status, headers: answered } = response;
      if (status === 204 || statusOnly) {
        // The parser fails on a body after a 204, but the write has succeeded.
        response.body.on('error', () => {}).resume();
        return { status, headers: answered, text: '' };
      }
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const text = await decodeBody(bytes, [answered['content-encoding']].flat().join(), largestBody);
      return { status, headers: answered, text };
    },
    async close() {
      if (options.dispatcher === undefined) await (await opened)?.destroy();
    },
  };
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decode = promisify(gunzip);
/** Some servers send the deflated data without the zlib header (RFC 9110, section 8.4.1.2). */
const decodeDeflated: Decode = (bytes, options) =>
  (((bytes[0] ?? 0) & 0x0f) === 8 ? promisify(inflate) : promisify(inflateRaw))(bytes, options);
const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['br', promisify(brotliDecompress)],
  ['deflate', decodeDeflated],
  ['identity', async (bytes) => bytes],
]);

/** An answer in a content coding that Attune does not decode. */
export class UnknownEncodingError extends Error {
  readonly encoding: string;

  constructor(encoding: string) {
    super(`unknown content encoding ${encoding}`);
    this.encoding = encoding;
  }
}

/** Decodes the content codings of a body, last one first, and drops a byte order mark. */
async function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  maxOutputLength: number,
): Promise<string> {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  let bytes = body;
  for (const coding of codings.reverse()) {
    if (coding === '' || bytes.length === 0) continue;
    const decode = decoders.get(coding);
    if (decode === undefined) throw new UnknownEncodingError(coding);
    bytes = await decode(bytes, { maxOutputLength });
  }
  return utf8.decode(bytes);
}

/** Ignores a byte order mark, and does not fail on bytes that are not UTF-8: the JSON parser reports these. */
const utf8 = new TextDecoder('utf-8');
