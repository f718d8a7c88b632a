import type { RequestSender } from '../callers.ts';
import type { World } from '../world.ts';
import type { Answer } from './answer.ts';

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

/** Only handlers that send requests themselves are asynchronous. */
export type Handler = (request: ServiceRequest) => Answer | Promise<Answer>;

/** A named segment of the path, which the router has matched. */
export function pathPart(request: ServiceRequest, name: string): string {
  return request.params[name] ?? '';
}

/** Method, path with `:name` segments, and handler. */
export type Route = readonly [method: string, path: string, handler: Handler];

interface RouteMatch {
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

interface Node {
  readonly literal: Map<string, Node>;
  /** The node for a `:name` segment. */
  variable?: Node;
  readonly handlers: Map<string, { readonly handler: Handler; readonly names: readonly string[] }>;
}

const emptyNode = (): Node => ({ literal: new Map(), handlers: new Map() });

/** Finds a route by its segments: the cost does not grow with the number of routes. */
export function createRouter(routes: readonly Route[]) {
  const root = emptyNode();
  for (const [method, path, handler] of routes) addRoute(root, method, path, handler);

  return (method: string, pathname: string): RouteMatch | undefined => {
    const values: string[] = [];
    let node: Node | undefined = root;
    for (const segment of pathname.split('/').slice(1)) {
      const literal: Node | undefined = node?.literal.get(segment);
      if (!literal) values.push(segment);
      node = literal ?? node?.variable;
      if (!node) return undefined;
    }
    const found = node.handlers.get(method);
    if (!found) return undefined;
    const params: Record<string, string> = {};
    for (const [index, name] of found.names.entries()) {
      const value = decodeSegment(values[index] ?? '');
      if (!value) return undefined;
      params[name] = value;
    }
    return { handler: found.handler, params };
  };
}

function addRoute(root: Node, method: string, path: string, handler: Handler): void {
  const names: string[] = [];
  let node = root;
  for (const segment of path.split('/').slice(1)) {
    if (segment.startsWith(':')) {
      names.push(segment.slice(1));
      node.variable ??= emptyNode();
      node = node.variable;
    } else {
      const next = node.literal.get(segment) ?? emptyNode();
      node.literal.set(segment, next);
      node = next;
    }
  }
  node.handlers.set(method, { handler, names });
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
