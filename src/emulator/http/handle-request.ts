import type { IncomingMessage } from 'node:http';
import { authenticate, type RequestSender } from '../callers.ts';
import type { RateLimit, RateState } from '../rate-limit.ts';
import type { World } from '../world.ts';
import { type Answer, json, noContent, notFound, Rejection, reject } from './responses.ts';
import type { createRouter } from './router.ts';

export const apiPrefix = '/api/v2';

/** A request, however it arrived. */
export interface ServiceCall {
  readonly method: string;
  readonly target: URL;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The text of the body, or why it could not be read. */
  readonly body: string | Rejection;
  /** The address of a caller without a token. */
  readonly from: string;
}

interface HandleInput {
  readonly world: World;
  readonly route: ReturnType<typeof createRouter>;
  readonly rateLimit: RateLimit | undefined;
  readonly call: ServiceCall;
}

export interface Handled {
  readonly answer: Answer;
  readonly rate?: RateState;
}

/** Handles a request: caller, rate limit, route. Every refusal becomes a document with errors. */
export function handleRequest(input: HandleInput): Handled {
  let rate: RateState | undefined;
  try {
    if (input.call.target.pathname === `${apiPrefix}/ping`) {
      rate = input.rateLimit?.(pingUser(input));
      refuseExceeded(rate);
      return { answer: noContent, ...(rate && { rate }) };
    }
    const open = openAnswer(input);
    if (open) return { answer: open };
    const caller = authenticate(input.world.store, authorizationOf(input.call));
    rate = input.rateLimit?.(caller.user);
    refuseExceeded(rate);
    return { answer: callRoute(input, caller), ...(rate && { rate }) };
  } catch (error) {
    return { answer: answerError(error), ...(rate && { rate }) };
  }
}

function refuseExceeded(rate: RateState | undefined): void {
  if (!rate?.exceeded) return;
  throw reject(429, `You have exceeded the API's rate limit of ${rate.limit} requests per second.`);
}

/** A ping needs no token; the rate of pings without one is limited by address. */
function pingUser({ world, call }: HandleInput): string {
  try {
    return authenticate(world.store, authorizationOf(call)).user;
  } catch {
    return call.from;
  }
}

function authorizationOf({ headers }: ServiceCall): string | undefined {
  return headers.authorization && String(headers.authorization);
}

/** Paths that need no token: they show where the service's interface is. */
function openAnswer({ world, call }: HandleInput): Answer | undefined {
  if (call.target.pathname !== '/.well-known/terraform.json' || world.dialect !== 'terraform')
    return undefined;
  const versions = ['tfe.v2', 'tfe.v2.1', 'tfe.v2.2'];
  return {
    ...json(200, Object.fromEntries(versions.map((version) => [version, `${apiPrefix}/`]))),
    type: 'application/json',
  };
}

function callRoute({ world, route, call }: HandleInput, caller: RequestSender): Answer {
  const { method, target, body } = call;
  const { pathname } = target;
  if (!pathname.startsWith(`${apiPrefix}/`)) throw notFound();
  const match = route(method, pathname.slice(apiPrefix.length));
  if (!match) throw notFound();
  if (body instanceof Rejection) throw body;
  refuseContentType(world, call);
  return match.handler({
    world,
    caller,
    method,
    pathname,
    origin: target.origin,
    query: target.searchParams,
    params: match.params,
    body: parseBody(body),
  });
}

/** The live service requires its content type on every write, even without a body. */
function refuseContentType(world: World, { method, headers }: ServiceCall): void {
  if (world.dialect !== 'terraform' || method === 'GET') return;
  const type = headers['content-type'] && String(headers['content-type']);
  if (type?.split(';')[0]?.trim().toLowerCase() === 'application/vnd.api+json') return;
  throw reject(415, 'The Content-Type header must be application/vnd.api+json.');
}

export function answerError(error: unknown): Answer {
  if (error instanceof Rejection) return json(error.status, { errors: error.errors });
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return json(500, { errors: [{ status: '500', title: 'internal server error', detail }] });
}

/** The largest accepted body, in bytes: enough for a consumer list of 100,000 workspaces. */
const largestBody = 16 * 1024 * 1024;

/** Reads a body. If it is too large, the rest is not read. */
export async function readBody(message: IncomingMessage): Promise<string> {
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

export function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw reject(400, 'The body is not JSON.');
  }
}

function tooLarge() {
  return reject(413, `The body is larger than ${largestBody} bytes.`);
}

/**
 * Refuses requests that a page in a browser may have caused: requests for a host name that is not loopback, because a
 * page can let a name resolve to this machine, and requests with the origin of another site.
 */
export function refuseForeign({ headers: { host, origin } }: IncomingMessage): void {
  if (host === undefined || !isLoopbackHost(host)) {
    throw reject(403, 'The Host header must name a loopback address, such as 127.0.0.1 or localhost.');
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    throw reject(403, `Requests from the origin ${origin} are not allowed.`);
  }
}

function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);
}
