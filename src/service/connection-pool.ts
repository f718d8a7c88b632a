import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type HttpProxy, ProxyConnectionError } from './proxy.ts';

interface PoolOptions {
  readonly origin: string;
  readonly connections: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** Bytes. */
  readonly largestBody: number;
}

/** A pool for the one origin, which costs less per request than an agent for any origin. */
export function connectionPool(options: PoolOptions, proxy: HttpProxy | undefined): Dispatcher {
  if (proxy) return proxyPool(options, proxy);
  const { origin, connections, timeout, largestBody } = options;
  const connect = acceptingInterimResponses(buildConnector({ timeout }));
  return new Pool(origin, { connections, pipelining: 1, maxResponseSize: largestBody, connect });
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

/** The same pool, whose connections are tunnels through a proxy. */
function proxyPool({ connections, timeout, largestBody }: PoolOptions, proxy: HttpProxy): Dispatcher {
  return new ProxyAgent({
    connections,
    pipelining: 1,
    maxResponseSize: largestBody,
    uri: `${proxy.url.protocol}//${proxy.url.host}`,
    ...(proxy.authorization !== undefined && { token: proxy.authorization }),
    requestTls: { timeout },
    clientFactory: (proxyOrigin) =>
      new Pool(proxyOrigin, {
        headersTimeout: timeout,
        connect: reportingProxyFailures(buildConnector({ timeout })),
      }),
    factory: (origin, given) => {
      const { connect } = given as { connect: buildConnector.connector };
      return new Pool(origin, { ...given, connect: acceptingInterimResponses(connect) });
    },
  });
}

function reportingProxyFailures(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[failure, socket]) => {
      if (failure === null) callback(failure, socket);
      else callback(new ProxyConnectionError(failure), null);
    });
}
