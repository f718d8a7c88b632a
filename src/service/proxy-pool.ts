import { buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { PoolOptions } from './connection-pool.ts';
import { acceptingInterimResponses } from './interim-responses.ts';
import type { HttpProxy } from './proxy.ts';
import { ProxyConnectionError } from './proxy-refusal.ts';

/** The same pool, whose connections are tunnels through a proxy. */
export function proxyPool({ connections, timeout, largestBody }: PoolOptions, proxy: HttpProxy): Dispatcher {
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
