import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { isRecord } from '../model/value.ts';
import { authenticate } from './callers.ts';
import { FaultError, type FaultPlan, readFaults } from './faults.ts';
import { answerError, parseBody, type ServiceCall } from './http/handle-request.ts';
import { type Answer, json, noContent, notFound, Rejection, reject } from './http/responses.ts';
import type { EmulatorOptions, RequestEntry } from './options.ts';
import type { World } from './world.ts';

export const adminPrefix = '/_emulator/';

interface AdminParts {
  readonly world: World;
  readonly faults: FaultPlan;
  readonly log: RequestLog;
}

/**
 * The emulator's own routes, which are not part of the interface: the requests so far, the faults from now on, and the clock. They
 * require a token if the interface does, because requests show what other callers sent.
 */
export function adminAnswer(
  { world, faults, log }: AdminParts,
  { method, target, headers, body }: Omit<ServiceCall, 'from'>,
): Answer {
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
      case 'GET faults':
        return json(200, { faults: faults.list() });
      case 'PUT faults':
        faults.set(readFaults(document(), 'the body'));
        return noContent;
      case 'DELETE faults':
        faults.set([]);
        return noContent;
      case 'PUT clock':
        world.clock.ahead = readAhead(document());
        return noContent;
      default:
        throw notFound();
    }
  } catch (error) {
    return answerError(error instanceof FaultError ? reject(422, error.message) : error);
  }
}

function readAhead(body: unknown): number {
  const ahead = isRecord(body) ? body.ahead : undefined;
  if (typeof ahead === 'number' && ahead >= 0 && ahead <= 1e9) return ahead;
  throw reject(422, 'The body must have the member ahead, in seconds.');
}

const kept = 100_000;

export type RequestLog = ReturnType<typeof createRequestLog>;

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
