import type { RequestSender } from '../callers.ts';
import type { World } from '../world.ts';
import type { Answer } from './responses.ts';

/** A request as the routes receive it. */
export interface ServiceRequest {
  readonly world: World;
  readonly caller: RequestSender;
  readonly method: string;
  /** As requested, without host and query, still encoded. */
  readonly pathname: string;
  /** `http://host:port`, for links. */
  readonly origin: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** The parsed document; undefined without a body. */
  readonly body: unknown;
}

export type Handler = (request: ServiceRequest) => Answer;

/** A named segment of the path, which the router has matched. */
export function pathPart(request: ServiceRequest, name: string): string {
  return request.params[name] ?? '';
}

/** Method, path with `:name` segments, and handler. */
export type Route = readonly [method: string, path: string, handler: Handler];

export type Router = ReturnType<typeof createRouter>;

/** Finds the first route with the method and the path; undefined if there is none, or a segment is not encoded correctly. */
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
