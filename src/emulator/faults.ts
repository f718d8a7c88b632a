import { matchesWildcard } from '../model/selector.ts';
import { isRecord } from '../model/value.ts';
import { EmulatorError, readInput } from './emulator-error.ts';
import { type Answer, errorObject, json } from './http/responses.ts';

/** The ways in which a request can fail, as a client sees them. */
export const faultKinds = [
  'status',
  'latency',
  'cut-before',
  'cut-after',
  'half-body',
  'html',
  'hang',
] as const;
/** One of the ways in which a request can fail. */
export type FaultKind = (typeof faultKinds)[number];

/** A fault to simulate, and the requests that it affects. */
export interface Fault {
  /**
   * - `status`: answered with `status` before it takes effect;
   * - `latency`: answered `ms` later;
   * - `cut-before`, `cut-after`: the connection is cut, before or after the request took effect;
   * - `half-body`: it takes effect and half of the response arrives;
   * - `html`: a proxy's page instead of JSON, with `status`;
   * - `hang`: it is never answered.
   */
  readonly kind: FaultKind;
  /** @default any method */
  readonly method?: string;
  /** The decoded path without `/api/v2`; `*` matches any characters; with a `?` it is matched including the query. */
  readonly path?: string;
  /** The first matching request that is affected, counted from 1. @default 1 */
  readonly nth?: number;
  /** Number of affected requests. @default all from `nth` on; 1 if `nth` is set */
  readonly times?: number;
  /** @default 500 for `status`, 502 for `html` */
  readonly status?: number;
  /** The delay in seconds that a 429 or 503 requests. */
  readonly reset?: number;
  /** The `detail` of the error. */
  readonly detail?: string;
  /** Milliseconds. @default 1000 */
  readonly ms?: number;
}

const fields = {
  kind: 'string',
  method: 'string',
  path: 'string',
  nth: 'number',
  times: 'number',
  status: 'number',
  reset: 'number',
  detail: 'string',
  ms: 'number',
} as const satisfies Record<keyof Fault, 'string' | 'number'>;

async function readFaultFile(path: string): Promise<readonly Fault[]> {
  const text = await readInput('faults', path);
  const { parse } = await import('yaml');
  let data: unknown;
  try {
    data = parse(text);
  } catch (cause) {
    throw new EmulatorError(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return readFaults(data ?? [], path);
}

function readFaults(data: unknown, source?: string): readonly Fault[] {
  const place = source === undefined ? 'faults' : `${source}: faults`;
  const list = isRecord(data) ? data.faults : data;
  if (!Array.isArray(list)) throw new EmulatorError(`${place} must be a list`);
  return list.map((entry: unknown, index) => readFault(entry, `${place}.${index}`));
}

function readFault(entry: unknown, place: string): Fault {
  if (!isRecord(entry)) throw new EmulatorError(`${place} must be a mapping`);
  for (const [key, value] of Object.entries(entry)) {
    const type = Object.entries(fields).find(([known]) => known === key)?.[1];
    if (!type)
      throw new EmulatorError(
        `${place}.${key} is not a known key; known keys are ${Object.keys(fields).join(', ')}`,
      );
    if (typeof value !== type) throw new EmulatorError(`${place}.${key} must be a ${type}`);
  }
  const kind = faultKinds.find((known) => known === entry.kind);
  if (!kind) throw new EmulatorError(`${place}.kind must be one of ${faultKinds.join(', ')}`);
  return { ...entry, kind };
}

export async function createFaultPlan(given: string | readonly Fault[]) {
  const initial = typeof given === 'string' ? await readFaultFile(given) : readFaults(given);
  let entries = initial.map((fault) => ({ fault, matched: 0 }));
  return {
    /** @param path decoded, with the query */
    hit(method: string, path: string): Fault | undefined {
      let found: Fault | undefined;
      for (const entry of entries) {
        if (!matches(entry.fault, method, path)) continue;
        entry.matched++;
        if (!found && isDue(entry.fault, entry.matched)) found = entry.fault;
      }
      return found;
    },
    set(faults: unknown, source: string) {
      entries = readFaults(faults, source).map((fault) => ({ fault, matched: 0 }));
    },
  };
}

function matches({ method, path }: Fault, asked: string, target: string): boolean {
  if (method !== undefined && method.toUpperCase() !== asked) return false;
  if (path === undefined) return true;
  return matchesWildcard(path, path.includes('?') ? target : (target.split('?')[0] ?? ''));
}

function isDue({ nth, times }: Fault, matched: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return matched >= first && matched < first + count;
}

export function faultAnswer(fault: Fault | undefined): Answer | undefined {
  if (fault?.kind === 'status') {
    const { status = 500, detail, reset } = fault;
    const answer = json(status, { errors: [errorObject(status, detail)] });
    return reset === undefined ? answer : { ...answer, headers: waitHeaders(status, reset) };
  }
  if (fault?.kind !== 'html') return undefined;
  const { status = 502 } = fault;
  const title = `${status} ${errorObject(status).title}`;
  const body = `<html><head><title>${title}</title></head><body>${title}</body></html>\n`;
  return { status, type: 'text/html', body };
}

/** A 429 has a special header for the delay, other statuses have the standard one. */
function waitHeaders(status: number, reset: number): Readonly<Record<string, string>> {
  return status === 429
    ? { 'X-RateLimit-Reset': String(reset), 'X-RateLimit-Remaining': '0' }
    : { 'Retry-After': String(Math.ceil(reset)) };
}
