import { attempt, jsonIn } from '../../model/value.ts';
import { authenticate, type RequestSender } from '../callers.ts';
import type { World } from '../world.ts';
import { type Answer, errorObject, json, noContent, notFound, Rejection, reject } from './responses.ts';

export const apiPrefix = '/api/v2';

export interface ServiceCall {
  readonly method: string;
  readonly target: URL;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string | Rejection;
}

export interface Handled {
  readonly answer: Answer;
  readonly rate?: RateState | undefined;
}

export function handleRequest(
  { world, route }: { readonly world: World; readonly route: Router },
  rateLimit: RateLimit | undefined,
  call: ServiceCall,
): Handled {
  let rate: RateState | undefined;
  const count = (caller: string) => {
    rate = rateLimit?.(caller);
    if (rate?.exceeded)
      throw reject(429, `You have exceeded the API's rate limit of ${rate.limit} requests per second.`);
  };
  const { pathname } = call.target;
  try {
    if (pathname === `${apiPrefix}/ping`) {
      // It needs no token.
      count('ping');
      return { answer: noContent, rate };
    }
    if (pathname === '/.well-known/terraform.json' && world.dialect === 'terraform')
      return { answer: discovery };
    const caller = authenticate(world.store, call.headers);
    count(caller.user);
    return { answer: callRoute(world, route, call, caller), rate };
  } catch (error) {
    return { answer: answerError(error), rate };
  }
}

const discovery: Answer = {
  ...json(200, Object.fromEntries(['', '.1', '.2'].map((minor) => [`tfe.v2${minor}`, `${apiPrefix}/`]))),
  type: 'application/json',
};

function callRoute(world: World, route: Router, call: ServiceCall, caller: RequestSender): Answer {
  const { method, target, body } = call;
  const { pathname, origin, searchParams: query } = target;
  const match = pathname.startsWith(`${apiPrefix}/`) && route(method, pathname.slice(apiPrefix.length));
  if (!match) throw notFound();
  if (body instanceof Rejection) throw body;
  refuseContentType(world, call);
  const { params, handler } = match;
  return handler({ world, caller, method, pathname, origin, query, params, body: parseBody(body) });
}

/** The live service requires its content type on every write, even without a body. */
function refuseContentType({ dialect }: World, { method, headers }: ServiceCall): void {
  if (dialect !== 'terraform' || method === 'GET') return;
  const [type] = String(headers['content-type'] ?? '').split(';');
  if (type?.trim().toLowerCase() === 'application/vnd.api+json') return;
  throw reject(415, 'The Content-Type header must be application/vnd.api+json.');
}

export function answerError(error: unknown): Answer {
  if (error instanceof Rejection) return json(error.status, { errors: error.errors });
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return json(500, { errors: [errorObject(500, detail)] });
}

export function parseBody(text: string): unknown {
  const body = jsonIn(text);
  if (body === undefined && text.trim() !== '') throw reject(400, 'The body is not JSON.');
  return body;
}

export function answerHeaders(
  { dialect, edition }: World,
  { answer, rate }: Handled,
): Record<string, string | number> {
  const isSelfHosted = edition === 'self-hosted';
  const headers: Record<string, string | number> = {};
  if (answer.body !== undefined) {
    headers['Content-Type'] = answer.type ?? 'application/vnd.api+json; charset=utf-8';
    headers['Content-Length'] = Buffer.byteLength(answer.body);
  }
  if (rate) {
    headers['X-RateLimit-Limit'] = rate.limit;
    headers['X-RateLimit-Remaining'] = rate.remaining;
    headers['X-RateLimit-Reset'] = rate.reset.toFixed(3);
  }
  if (dialect === 'terraform') {
    headers['TFP-API-Version'] = '2.6';
    headers['TFP-AppName'] = isSelfHosted ? 'Terraform Enterprise' : 'HCP Terraform';
    if (isSelfHosted) headers['X-TFE-Version'] = 'v202507-1';
  }
  return { ...headers, ...answer.headers };
}

export type RateLimit = ReturnType<typeof createRateLimit>;
type RateState = ReturnType<RateLimit>;

/** Counts requests per caller in windows of one second, as the live service does; refused requests do not count. */
export function createRateLimit(limit: number, clock: () => number) {
  const windows = new Map<string, { readonly end: number; count: number }>();
  return (caller: string) => {
    const now = clock();
    const open = windows.get(caller);
    const window = open && now < open.end ? open : { end: now + 1000, count: 0 };
    windows.set(caller, window);
    const exceeded = window.count >= limit;
    if (!exceeded) window.count++;
    return { limit, remaining: limit - window.count, reset: (window.end - now) / 1000, exceeded };
  };
}

export interface ServiceRequest {
  readonly world: World;
  readonly caller: RequestSender;
  readonly method: string;
  /** As requested, without host and query, still encoded. */
  readonly pathname: string;
  readonly origin: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Handler = (request: ServiceRequest) => Answer;

export function pathPart(request: ServiceRequest, name: string): string {
  return request.params[name] ?? '';
}

export type Route = readonly [method: string, path: string, handler: Handler];

export function route(...parts: Route): Route {
  return parts;
}

/** The routes of a subject: those of the interface (section 4), and what live services have beside it. */
export interface RouteSet {
  readonly interface?: readonly Route[];
  /** In both dialects. */
  readonly common?: readonly Route[];
  /** In the terraform dialect. */
  readonly live?: readonly Route[];
}

type Router = ReturnType<typeof createRouter>;

export function createRouter(routes: readonly Route[]) {
  const patterns = routes.map(([method, path, handler]) => ({
    method,
    handler,
    pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
  }));
  return (wanted: string, pathname: string) => {
    for (const { method, handler, pattern } of patterns) {
      const segments = method === wanted && pattern.exec(pathname);
      if (!segments) continue;
      const parts = Object.entries(segments.groups ?? {});
      const params = attempt(() =>
        Object.fromEntries(parts.map(([name, text]) => [name, decodeURIComponent(text)])),
      );
      return params && { handler, params };
    }
    return undefined;
  };
}
