import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { AttuneError } from '../model/diagnostic.ts';
import { attempt, isRecord, jsonIn } from '../model/value.ts';
import { authenticate } from './callers.ts';
import { EmulatorError } from './emulator-error.ts';
import { createFaultPlan, faultAnswer } from './faults.ts';
import {
  answerError,
  answerHeaders,
  apiPrefix,
  createRateLimit,
  type Handled,
  parseBody,
  type RateLimit,
  type ServiceCall,
} from './http/handle-request.ts';
import { type Answer, json, noContent, notFound, Rejection, reject } from './http/responses.ts';
import type { Emulator, EmulatorOptions, RequestEntry } from './options.ts';
import { openService } from './service.ts';

/**
 * Starts the service on loopback: the whole interface, kept in memory or in a file. For tests, examples and CI.
 *
 * @throws {@link EmulatorError} if the seed, the faults or the data cannot be used.
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
  const { rate, latency = 0, port } = options;
  const faults = await createFaultPlan(options.faults ?? []);
  const service = await openService(options);
  const { data } = service;
  const log = createRequestLog(options.log);
  const rateLimit = rate === undefined ? undefined : createRateLimit(rate, () => performance.now());
  const server = createEmulatorServer({ ...service, faults, log, rateLimit, latency });
  try {
    server.listen(port ?? 0, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    await data.close();
    const why = (error as Error).message;
    throw new AttuneError(`cannot listen on port ${port}: ${why}`, { code: 'bad-option', cause: error });
  }
  let stopping: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    needsToken: data.store.all('tokens').length > 0,
    requests: log.entries,
    clearRequests: () => log.clear(),
    setFaults: (next) => faults.set(next, 'setFaults'),
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

interface ServerParts extends Awaited<ReturnType<typeof openService>> {
  readonly rateLimit: RateLimit | undefined;
  readonly faults: Awaited<ReturnType<typeof createFaultPlan>>;
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
  const { world, faults, rateLimit, latency } = parts;
  const { method = 'GET', headers } = message;
  const target = targetOf(message);
  const body = await readBody(message).catch((error) => {
    if (error instanceof Rejection) return error;
    throw error;
  });
  const send = (handled: Handled) => {
    const sent = answerHeaders(world, handled);
    // The unread rest of a body that is too large would be parsed as the next request.
    const isUnread = body instanceof Rejection;
    response.writeHead(handled.answer.status, isUnread ? { ...sent, Connection: 'close' } : sent);
    response.end(handled.answer.body);
  };
  const foreign = foreignRefusal(message);
  if (foreign) return send({ answer: answerError(foreign) });
  const call = { method, target, headers, body };
  if (target.pathname.startsWith(adminPrefix)) return send({ answer: adminAnswer(parts, call) });
  const path = shownPath(target);
  const fault = faults.hit(method, path);
  const record = (status: number) => {
    const text = typeof body === 'string' && body !== '' ? body : undefined;
    parts.log.add({ method, path, status, body: text && (jsonIn(text) ?? text) });
  };
  if (fault?.kind === 'hang' || fault?.kind === 'cut-before') {
    record(0);
    if (fault.kind === 'cut-before') response.destroy();
    return;
  }
  const early = faultAnswer(fault);
  const handled = early ? { answer: early } : await parts.answer(call, rateLimit);
  const wait = latency + (fault?.kind === 'latency' ? (fault.ms ?? 1000) : 0);
  if (wait > 0) await setTimeout(arrival + wait - performance.now());
  record(fault?.kind === 'cut-after' ? 0 : handled.answer.status);
  if (fault?.kind === 'cut-after') response.destroy();
  else if (fault?.kind === 'half-body') sendHalf(response, handled.answer, answerHeaders(world, handled));
  else send(handled);
}

function sendHalf(
  response: ServerResponse,
  answer: Answer,
  headers: Readonly<Record<string, string | number>>,
): void {
  const body = Buffer.from(answer.body ?? '');
  response.writeHead(answer.status, headers);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

/** Links use the host in the request, so that they work through the client's address of this service. */
function targetOf({ headers: { host = '' }, url = '/' }: IncomingMessage): URL {
  return new URL(url, `http://${/^[\w.:[\]-]+$/.test(host) ? host : '127.0.0.1'}`);
}

/** The largest accepted body, in bytes: enough for a consumer list of 100,000 workspaces. */
const largestBody = 16 * 1024 * 1024;

async function readBody(message: IncomingMessage): Promise<string> {
  const tooLarge = () => reject(413, `The body is larger than ${largestBody} bytes.`);
  if (Number(message.headers['content-length'] ?? 0) > largestBody) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += chunk.length;
    if (size > largestBody) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Why a request is refused that a page in a browser may have caused: one for a host name that is not loopback, because a page can
 * let a name resolve to this machine, or one with the origin of another site.
 */
function foreignRefusal({ headers: { host = '', origin } }: IncomingMessage): Rejection | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (!/^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name))
    return reject(403, 'The Host header must name a loopback address, such as 127.0.0.1 or localhost.');
  return origin === undefined || origin === `http://${host}`
    ? undefined
    : reject(403, `Requests from the origin ${origin} are not allowed.`);
}

function shownPath({ pathname, search }: URL): string {
  const path = pathname.startsWith(`${apiPrefix}/`) ? pathname.slice(apiPrefix.length) : pathname;
  return attempt(() => decodeURIComponent(path + search.replaceAll('+', ' '))) ?? path + search;
}

const adminPrefix = '/_emulator/';

/**
 * The emulator's own routes, which are not part of the interface: the requests so far, the faults from now on, and the clock. They
 * require a token if the interface does, because requests show what other callers sent.
 */
function adminAnswer({ world, faults, log }: ServerParts, { method, target, headers, body }: ServiceCall) {
  const document = () => {
    if (body instanceof Rejection) throw body;
    return parseBody(body);
  };
  try {
    authenticate(world.store, headers);
    switch (`${method} ${target.pathname.slice(adminPrefix.length)}`) {
      case 'GET requests':
        return json(200, { requests: log.entries });
      case 'DELETE requests':
        log.clear();
        return noContent;
      case 'PUT faults':
        faults.set(document(), 'the body');
        return noContent;
      case 'PUT clock':
        world.clock.ahead = readAhead(document());
        return noContent;
      default:
        throw notFound();
    }
  } catch (error) {
    return answerError(error instanceof EmulatorError ? reject(422, error.message) : error);
  }
}

function readAhead(body: unknown): number {
  const ahead = isRecord(body) ? body.ahead : undefined;
  if (typeof ahead === 'number' && ahead >= 0 && ahead <= 1e9) return ahead;
  throw reject(422, 'The body must have the member ahead, in seconds.');
}

const kept = 100_000;

type RequestLog = ReturnType<typeof createRequestLog>;

export function createRequestLog(target: EmulatorOptions['log']) {
  const entries: RequestEntry[] = [];
  const file =
    typeof target === 'string' ? createWriteStream(target, { flags: 'a', mode: 0o600 }) : undefined;
  let hasFailed = false;
  file?.on('error', () => {
    hasFailed = true;
  });
  return {
    entries: entries as readonly RequestEntry[],
    add(entry: RequestEntry) {
      // Removes many at once, because removing the first one of a list is linear in its length.
      if (entries.length >= kept * 1.5) entries.splice(0, entries.length - kept);
      entries.push(entry);
      if (typeof target === 'function') target(entry);
      if (!hasFailed) file?.write(`${JSON.stringify(entry)}\n`);
    },
    clear() {
      entries.length = 0;
    },
    async close() {
      if (!file || hasFailed) return;
      file.end();
      await finished(file);
    },
  };
}
