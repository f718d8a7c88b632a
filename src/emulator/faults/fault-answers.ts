import type { ServerResponse } from 'node:http';
import { isRecord } from '../../model/value.ts';
import { type Answer, type Headers, json, type Rejection, statusTitle } from '../http/responses.ts';
import { storedTagName } from '../rules/tag-rules.ts';
import type { World } from '../world.ts';
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

const tagsPath = /^\/workspaces\/([^/]+)\/relationships\/tags$/;

/** If two workspaces use a new tag at the same time, the service creates it for one and fails for the other. */
export type TagRace = ReturnType<typeof createTagRace>;

export function createTagRace(clock: () => number) {
  /** The first workspace to use each new tag, and the time. */
  const firstUses = new Map<string, { readonly workspace: string; readonly at: number }>();
  return {
    answer(
      fault: Fault | undefined,
      world: World,
      method: string,
      path: string,
      body: string | Rejection,
    ): Answer | undefined {
      const workspace =
        fault?.kind === 'new-tag-race' && method === 'POST' ? tagsPath.exec(path)?.[1] : undefined;
      if (fault === undefined || workspace === undefined || typeof body !== 'string') return undefined;
      const organization = world.store.get('workspaces', workspace)?.organization ?? '';
      const now = clock();
      for (const name of tagNames(body, world)) {
        const first = firstUses.get(`${organization}/${name}`);
        if (first && first.workspace !== workspace && now - first.at < (fault.ms ?? 100)) return lost(fault);
        if (!world.store.tagByName(organization, name))
          firstUses.set(`${organization}/${name}`, { workspace, at: now });
      }
      return undefined;
    },
  };
}

function lost(fault: Fault): Answer {
  const status = fault.status ?? 422;
  const detail = fault.detail ?? 'Name has already been taken';
  return json(status, {
    errors: [
      {
        status: String(status),
        title: 'invalid attribute',
        detail,
        source: { pointer: '/data/attributes/name' },
      },
    ],
  });
}

function tagNames(body: string, world: World): string[] {
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    return [];
  }
  if (!isRecord(document) || !Array.isArray(document.data)) return [];
  return document.data.flatMap((item: unknown) => {
    const name = isRecord(item) && isRecord(item.attributes) ? item.attributes.name : undefined;
    return typeof name === 'string' ? [storedTagName(name, world.dialect)] : [];
  });
}
