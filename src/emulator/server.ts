import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { adminAnswer, adminPrefix } from './admin.ts';
import { faultAnswer, sendHalf } from './faults/fault-answers.ts';
import { createFaultPlan, type FaultPlan, readFaultFile, readFaults } from './faults/faults.ts';
import { answerError, apiPrefix, type Handled, readBody, refuseForeign } from './http/handle-request.ts';
import { type Answer, answerHeaders, Rejection } from './http/responses.ts';
import { answerCall, type OpenService, openService } from './open-service.ts';
import { checkOptions, type Emulator, type EmulatorOptions, OptionError } from './options.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import type { World } from './world.ts';

/**
 * Starts the service on loopback: the whole interface, kept in memory or in a file. For tests, examples and CI.
 *
 * @throws {@link OptionError}, {@link SeedError}, {@link FaultError} or {@link DataError} if an option or a file is
 * invalid.
 * @example
 * ```ts
 * import { startEmulator } from 'attune/emulator';
 *
 * const emulator = await startEmulator({ seed: { workspaces: { network: { tags: ['prod'] } } } });
 * const list = `${emulator.url}/api/v2/organizations/acme/workspaces`;
 * console.log((await fetch(list)).status); // 200
 * emulator.setFaults([{ kind: 'status', status: 503, times: 1 }]);
 * console.log((await fetch(list)).status, emulator.requests.length); // 503 2
 * await emulator.stop();
 * ```
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  const faults = createFaultPlan(await initialFaults(options.faults));
  const service = await openService(options);
  const { data } = service;
  const log = createRequestLog(options.log);
  const server = createEmulatorServer({
    ...service,
    faults,
    log,
    rateLimit:
      options.rate === undefined ? undefined : createRateLimit(options.rate, () => performance.now()),
    latency: options.latency ?? 0,
  });
  try {
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    await data.close();
    throw isTaken(error)
      ? new OptionError(`cannot listen on port ${options.port}: it is in use`, { cause: error })
      : error;
  }
  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    needsToken: data.store.size('tokens') > 0,
    requests: log.entries,
    clearRequests: () => log.clear(),
    setFaults: (next) => faults.set(readFaults(next, 'setFaults')),
    stop: () => {
      stopping ??= (async () => {
        server.close();
        await data.close().finally(() => server.closeAllConnections());
        await log.close();
      })();
      return stopping;
    },
  };
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

async function initialFaults(faults: EmulatorOptions['faults']) {
  return typeof faults === 'string' ? readFaultFile(faults) : readFaults(faults ?? [], 'faults');
}

interface ServerParts extends OpenService {
  readonly rateLimit: RateLimit | undefined;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
  readonly latency: number;
}

function createEmulatorServer(parts: ServerParts): Server {
  const server = createServer({ keepAlive: true }, (message, response) => {
    serve(parts, message, response).catch(() => response.destroy());
  });
  // Longer than clients keep idle connections, so that the server never closes one during a request.
  server.keepAliveTimeout = 65_000;
  return server;
}

async function serve(parts: ServerParts, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrival = performance.now();
  const { method = 'GET', headers } = message;
  const from = message.socket.remoteAddress ?? '';
  const target = targetOf(message);
  const body = await readBody(message).catch((error) => {
    if (error instanceof Rejection) return error;
    throw error;
  });
  const refusal = foreignRefusal(message);
  if (refusal) return send(response, parts.world, { answer: refusal }, body instanceof Rejection);
  if (target.pathname.startsWith(adminPrefix)) {
    const { authorization } = headers;
    const answer = adminAnswer(parts, { method, pathname: target.pathname, authorization, body });
    return send(response, parts.world, { answer }, body instanceof Rejection);
  }
  const path = shownPath(target);
  const fault = parts.faults.hit(method, path);
  const record = (status: number) => {
    const shown = typeof body === 'string' ? bodyForLog(body) : undefined;
    parts.log.add({ method, path, status, ...(shown !== undefined && { body: shown }) });
  };
  if (fault?.kind === 'hang') return record(0);
  if (fault?.kind === 'cut-before') {
    record(0);
    response.destroy();
    return;
  }
  const early = faultAnswer(fault);
  const handled = early
    ? { answer: early }
    : await answerCall(parts, parts.rateLimit, { method, target, headers, body, from });
  const wait = parts.latency + (fault?.kind === 'latency' ? (fault.ms ?? 1000) : 0);
  if (wait > 0) await setTimeout(arrival + wait - performance.now());
  record(fault?.kind === 'cut-after' ? 0 : handled.answer.status);
  if (fault?.kind === 'cut-after') response.destroy();
  else if (fault?.kind === 'half-body') {
    sendHalf(response, handled.answer, answerHeaders(parts.world, handled.answer, handled.rate));
  } else send(response, parts.world, handled, body instanceof Rejection);
}

function foreignRefusal(message: IncomingMessage): Answer | undefined {
  try {
    refuseForeign(message);
  } catch (error) {
    return answerError(error);
  }
}

/** Links use the host in the request, so that they work through the client's address of this service. */
function targetOf({ headers, url = '/' }: IncomingMessage): URL {
  const host = headers.host ?? '';
  return new URL(url, `http://${/^[\w.:[\]-]+$/.test(host) ? host : '127.0.0.1'}`);
}

function send(response: ServerResponse, world: World, { answer, rate }: Handled, unread: boolean): void {
  const headers = answerHeaders(world, answer, rate);
  // The unread rest of a body that is too large would be parsed as the next request.
  response.writeHead(answer.status, unread ? { ...headers, Connection: 'close' } : headers);
  response.end(answer.body);
}

function bodyForLog(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function shownPath({ pathname, search }: URL): string {
  const path = pathname.startsWith(`${apiPrefix}/`) ? pathname.slice(apiPrefix.length) : pathname;
  try {
    return decodeURIComponent(path + search.replaceAll('+', ' '));
  } catch {
    return path + search;
  }
}
