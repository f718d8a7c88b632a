import type { HttpResponse } from './transport.ts';

/** What an answer says about the limit that the token is under. */
export interface AnnouncedLimit {
  /** Requests per second. */
  readonly limit?: number;
  /** Milliseconds to wait, where the service asks for it. */
  readonly wait?: number;
  readonly remaining?: number;
}

export function announcedLimit(headers: HttpResponse['headers']): AnnouncedLimit {
  const limit = number(headers['x-ratelimit-limit']);
  const remaining = number(headers['x-ratelimit-remaining']);
  const seconds = number(headers['retry-after']) ?? number(headers['x-ratelimit-reset']);
  return {
    ...(limit !== undefined && limit >= lowestLimit && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(seconds !== undefined && { wait: waitMilliseconds(seconds) }),
  };
}

/** Less than one request in a second is no limit that a service announces: a run would stand still without a word. */
const lowestLimit = 1;

/** The reset is told as seconds from now; a number of that size can only be a moment since 1970. */
const epochFrom = 1e9;
const longestWait = 5 * 60_000;

function waitMilliseconds(seconds: number): number {
  const milliseconds = seconds > epochFrom ? seconds * 1000 - Date.now() : seconds * 1000;
  return Math.min(Math.max(milliseconds, 0), longestWait);
}

function number(header: string | string[] | undefined): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}
