import type { FaultPlan } from './faults/match-faults.ts';
import { FaultError, readFaults } from './faults/read-faults.ts';
import { type Answer, json, noContent } from './http/answer.ts';
import { answerError } from './http/handle-request.ts';
import { parseBody } from './http/read-body.ts';
import { notFound, Rejection, reject } from './http/rejection.ts';
import type { RequestLog } from './request-log.ts';

export const adminPrefix = '/_emulator/';

interface AdminParts {
  readonly faults: FaultPlan;
  readonly log: RequestLog;
}

/** The emulator's own routes, outside of the interface: what was asked, and what shall go wrong from now on. */
export function adminAnswer(
  parts: AdminParts,
  method: string,
  pathname: string,
  body: string | Rejection,
): Answer {
  try {
    return route(parts, `${method} ${pathname.slice(adminPrefix.length - 1)}`, body);
  } catch (error) {
    return answerError(error instanceof FaultError ? reject(422, error.message) : error);
  }
}

function route({ faults, log }: AdminParts, what: string, body: string | Rejection): Answer {
  switch (what) {
    case 'GET /requests':
      return json(200, { requests: log.entries });
    case 'DELETE /requests':
      log.clear();
      return noContent;
    case 'GET /faults':
      return json(200, { faults: faults.list() });
    case 'PUT /faults':
    case 'POST /faults':
      if (body instanceof Rejection) throw body;
      faults.set(readFaults(parseBody(body), 'the body'));
      return noContent;
    case 'DELETE /faults':
      faults.set([]);
      return noContent;
    default:
      throw notFound();
  }
}
