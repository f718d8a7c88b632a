import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { HttpProxy } from './proxy.ts';

/** One exchange with the service, without any check of the answer. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The answer of the service, decoded. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty after a 204, whatever the service sends after its header. */
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

/** Far above the size of a page of 100 workspaces. */
const largestBody = 64 * 1024 * 1024;

/** Sends requests over undici's pool for the one origin, which costs less per request than an agent for any origin. */
export function createTransport(options: TransportOptions): Transport {
  const { origin, connections, timeout } = options;
  const milliseconds = timeout * 1000;
  const dispatcher =
    options.dispatcher ??
    connectionPool(origin, {
      connections,
      proxy: options.proxy,
      timeout: milliseconds,
    });

  return {
    async exchange({ method, path, headers, body }) {
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
      if (status === 204) {
        // The parser fails on a body after a 204, but the write has succeeded.
        response.body.on('error', () => {}).resume();
        return { status, headers: answered, text: '' };
      }
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const text = await decodeBody(bytes, [answered['content-encoding']].flat().join(), largestBody);
      return { status, headers: answered, text };
    },
    async close() {
      if (options.dispatcher === undefined) await dispatcher.destroy();
    },
  };
}

interface PoolOptions {
  readonly connections: number;
  readonly proxy: HttpProxy | undefined;
  /** Milliseconds. */
  readonly timeout: number;
}

function connectionPool(origin: string, { connections, proxy, timeout }: PoolOptions): Dispatcher {
  const pool = { connections, pipelining: 1, maxResponseSize: largestBody };
  if (proxy === undefined) {
    const connect = acceptingInterimResponses(buildConnector({ timeout }));
    return new Pool(origin, { ...pool, connect });
  }
  return new ProxyAgent({
    ...pool,
    uri: `${proxy.url.protocol}//${proxy.url.host}`,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    requestTls: { timeout },
    clientFactory: (proxyOrigin) =>
      new Pool(proxyOrigin, {
        headersTimeout: timeout,
        connect: reportingProxyFailures(buildConnector({ timeout })),
      }),
    factory: (through, given) => {
      const { connect } = given as { connect: buildConnector.connector };
      return new Pool(through, { ...given, connect: acceptingInterimResponses(connect) });
    },
  });
}

/** No connection to the proxy itself, as opposed to one from the proxy to the service. */
export class ProxyConnectionError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

function reportingProxyFailures(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[failure, socket]) => {
      if (failure === null) callback(failure, socket);
      else callback(new ProxyConnectionError(failure), null);
    });
}

/**
 * Drops a `100 Continue` that was not asked for (RFC 9110, section 15.2.1), which some proxies send. undici treats it as
 * a broken connection.
 */
function acceptingInterimResponses(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) {
        const read = socket.read.bind(socket);
        socket.read = (size) => {
          for (let chunk = read(size); chunk !== null; chunk = read(size)) {
            const rest = withoutInterimResponses(chunk);
            if (rest.length > 0) return rest;
          }
          return null;
        };
      }
      callback(...result);
    });
}

const interim = Buffer.from('HTTP/1.1 100');

function withoutInterimResponses(chunk: Buffer): Buffer {
  if (!chunk.subarray(0, interim.length).equals(interim)) return chunk;
  const end = chunk.indexOf('\r\n\r\n');
  return end < 0 ? chunk : withoutInterimResponses(chunk.subarray(end + 4));
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decode = promisify(gunzip);
const decoders: Readonly<Record<string, Decode>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: promisify(brotliDecompress),
  deflate: (bytes, options) =>
    // Some servers send the deflated data without the zlib header (RFC 9110, section 8.4.1.2).
    (((bytes[0] ?? 0) & 0x0f) === 8 ? promisify(inflate) : promisify(inflateRaw))(bytes, options),
  identity: async (bytes) => bytes,
};

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
    const decode = decoders[coding];
    if (decode === undefined) throw new UnknownEncodingError(coding);
    bytes = await decode(bytes, { maxOutputLength });
  }
  return utf8.decode(bytes);
}

/** Ignores a byte order mark, and does not fail on bytes that are not UTF-8: the JSON parser reports these. */
const utf8 = new TextDecoder('utf-8');
