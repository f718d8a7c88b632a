import { isRecord } from '../model/value.ts';
import { authenticate } from './callers.ts';
import { FaultError, type FaultPlan, readFaults } from './faults/faults.ts';
import { answerError, parseBody } from './http/handle-request.ts';
import { type Answer, json, noContent, notFound, Rejection, reject } from './http/responses.ts';
import type { RequestLog } from './request-log.ts';
import type { World } from './world.ts';

export const adminPrefix = '/_emulator/';

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
export function adminAnswer(
  parts: AdminParts,
  { method, pathname, authorization, body }: AdminRequest,
): Answer {
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
