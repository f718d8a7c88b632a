import type { Caller } from '../callers.ts';
import type { World } from '../world.ts';
import type { Answer } from './answer.ts';

/** A request as the routes see it. */
export interface ServiceRequest {
  readonly world: World;
  readonly caller: Caller;
  readonly method: string;
  /** As it was asked for, without host and query, still encoded. */
  readonly pathname: string;
  /** `http://host:port`, for links. */
  readonly origin: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** The parsed document; undefined where there was none. */
  readonly body: unknown;
}

export type Handler = (request: ServiceRequest) => Answer;

/** A part of the path that the route names; the router has seen that it is there. */
export function pathPart(request: ServiceRequest, name: string): string {
  return request.params[name] ?? '';
}
