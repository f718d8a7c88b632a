import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { isRecord } from '../model/value.ts';
import { authenticate } from './callers.ts';
import {
  createFaultPlan,
  FaultError,
  type FaultPlan,
  faultAnswer,
  readFaultFile,
  readFaults,
  sendHalf,
} from './faults.ts';
import {
  answerError,
  apiPrefix,
  type Handled,
  parseBody,
  readBody,
  refuseForeign,
} from './http/handle-request.ts';
import {
  type Answer,
  answerHeaders,
  json,
  noContent,
  notFound,
  Rejection,
  reject,
} from './http/responses.ts';
import { answerCall, type OpenService, openService } from './open-service.ts';
import {
  checkOptions,
  type Emulator,
  type EmulatorOptions,
  OptionError,
  type RequestEntry,
} from './options.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';
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

const adminPrefix = '/_emulator/';

interface AdminParts {
  readonly world: World;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
}

interface AdminRequest {
  readonly method: string;
  readonly pathname: string;
  readonly authorization: string | undefined;
  readonly body: string | Rejection;
}

/**
 * The emulator's own routes, which are not part of the interface: the requests so far, the faults from now on, and the clock. They
 * require a token if the interface does, because requests show what other callers sent.
 */
function adminAnswer(parts: AdminParts, { method, pathname, authorization, body }: AdminRequest): Answer {
  try {
    authenticate(parts.world.store, authorization);
    return route(parts, `${method} ${pathname.slice(adminPrefix.length - 1)}`, body);
  } catch (error) {
    return answerError(error instanceof FaultError ? reject(422, error.message) : error);
  }
}

function route({ world, faults, log }: AdminParts, what: string, body: string | Rejection): Answer {
  switch (what) {
    case 'GET /requests':
      return json(200, { requests: log.entries });
    case 'DELETE /requests':
      log.clear();
      return noContent;
    case 'GET /faults':
      return json(200, { faults: faults.list() });
    case 'PUT /faults':
      if (body instanceof Rejection) throw body;
      faults.set(readFaults(parseBody(body), 'the body'));
      return noContent;
    case 'PUT /clock':
      if (body instanceof Rejection) throw body;
      world.clock.ahead = readAhead(parseBody(body));
      return noContent;
    case 'DELETE /faults':
      faults.set([]);
      return noContent;
    default:
      throw notFound();
  }
}

function readAhead(body: unknown): number {
  const ahead = isRecord(body) ? body.ahead : undefined;
  if (typeof ahead === 'number' && ahead >= 0 && ahead <= 1e9) return ahead;
  throw reject(422, 'The body must have the member ahead, in seconds.');
}

/** Maximum number of requests that are kept. */
const kept = 100_000;

interface RequestLog {
  readonly entries: readonly RequestEntry[];
  add(entry: RequestEntry): void;
  clear(): void;
  close(): Promise<void>;
}

/** Keeps the requests of a run, and passes each one on to a file or a function. */
export function createRequestLog(target: EmulatorOptions['log']): RequestLog {
  const entries: RequestEntry[] = [];
  const file: WriteStream | undefined =
    typeof target === 'string' ? createWriteStream(target, { flags: 'a', mode: 0o600 }) : undefined;
  let failure: Error | undefined;
  file?.on('error', (error) => {
    failure = error;
  });
  return {
    entries,
    add(entry) {
      // Removes many at once, because removing the first one of a list is linear in its length.
      if (entries.length >= kept * 1.5) entries.splice(0, entries.length - kept);
      entries.push(entry);
      if (typeof target === 'function') target(entry);
      if (file && !failure) file.write(`${JSON.stringify(entry)}\n`);
    },
    clear() {
      entries.length = 0;
    },
    async close() {
      if (!file || failure) return;
      file.end();
      await finished(file);
    },
  };
}
