import type { ServerResponse } from 'node:http';
import { type Answer, type Headers, json, statusTitle } from '../http/responses.ts';
import type { Fault } from './faults.ts';

/** Responses that are sent instead of the service's, before the request takes effect. */
export function faultAnswer(fault: Fault | undefined): Answer | undefined {
  if (fault?.kind === 'status') {
    const status = fault.status ?? 500;
    const detail = fault.detail === undefined ? {} : { detail: fault.detail };
    return {
      ...json(status, { errors: [{ status: String(status), title: statusTitle(status), ...detail }] }),
      ...(fault.reset !== undefined && { headers: waitHeaders(status, fault.reset) }),
    };
  }
  if (fault?.kind === 'html') {
    const status = fault.status ?? 502;
    const title = `${status} ${statusTitle(status)}`;
    return {
      status,
      type: 'text/html',
      body: `<html><head><title>${title}</title></head><body>${title}</body></html>\n`,
    };
  }
  return undefined;
}

/** A 429 has a special header for the delay, other statuses have the standard one. */
function waitHeaders(status: number, reset: number): Record<string, string> {
  return status === 429
    ? { 'X-RateLimit-Reset': String(reset), 'X-RateLimit-Remaining': '0' }
    : { 'Retry-After': String(Math.ceil(reset)) };
}

/** Announces the whole response, sends its first half, then cuts the connection. */
export function sendHalf(response: ServerResponse, answer: Answer, headers: Headers): void {
  const body = Buffer.from(answer.body ?? '');
  response.writeHead(answer.status, headers);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}
