import type { RequestSender } from '../callers.ts';
import type { World } from '../world.ts';
import type { Answer } from './responses.ts';

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

/** The routes of a subject: those of the interface (section 4), and what live services have beside it. */
export interface RouteSet {
  readonly interface?: readonly Route[];
  /** In both dialects. */
  readonly common?: readonly Route[];
  /** In the terraform dialect. */
  readonly live?: readonly Route[];
}

export type Router = ReturnType<typeof createRouter>;

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
      const params = decoded(segments.groups ?? {});
      return params && { handler, params };
    }
    return undefined;
  };
}

function decoded(segments: Readonly<Record<string, string>>): ServiceRequest['params'] | undefined {
  try {
    const entries = Object.entries(segments);
    return Object.fromEntries(entries.map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}
