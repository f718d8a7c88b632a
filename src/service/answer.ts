import { isRecord } from '../model/value.ts';
import type { Document } from './documents.ts';
import type { HttpResponse } from './http-transport.ts';
import {
  type Explanation,
  type FailedRequest,
  NetworkError,
  ServiceError,
  type ServiceErrorDetail,
} from './service-error.ts';

export interface SentRequest extends FailedRequest {
  readonly host: string;
  readonly tries: number;
  /** The variable or the file that the token comes from. */
  readonly tokenSource?: string | undefined;
}

/** Success is any 2xx, except an HTML page, which comes from a proxy and not from the service. */
export function isSuccess(response: HttpResponse, method: string): boolean {
  return isOk(response) && (method === 'GET' || !isPage(response));
}

/** `undefined` if a write has none. */
export function readDocument(response: HttpResponse, request: SentRequest): Document | undefined {
  const isRead = request.method === 'GET';
  if (response.text.trim() === '') {
    if (isRead) throw new NetworkError(request, 'the response has no document', { status: response.status });
    return undefined;
  }
  const document = parseJson(response.text);
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document;
  if (isRead) throw unusable(response, request);
  return undefined;
}

export function refusal(response: HttpResponse, request: SentRequest): ServiceError | NetworkError {
  const { status, headers } = response;
  if (isOk(response)) return unusable(response, request);
  if (status >= 300 && status < 400) {
    return new NetworkError(request, `answered ${status}, a redirect to ${origin(headers.location)}`, {
      status,
      hint: 'set the address to the target of the redirect; Attune never follows redirects, to protect the token',
    });
  }
  const document = parseJson(response.text);
  const details = errorDetails(document);
  const explanation = details.length === 0 ? explanationOf(document, response) : undefined;
  return new ServiceError(request, status, details, hintFor(status, request), explanation);
}

function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function isPage({ text }: HttpResponse): boolean {
  return /^\s*</.test(text);
}

function unusable(response: HttpResponse, request: SentRequest): NetworkError {
  const kind = isPage(response) ? 'an HTML page' : 'a response that is not JSON';
  return new NetworkError(request, `answered ${response.status} with ${kind}`, {
    status: response.status,
    hint: `check that ${request.host} is the service itself and not a proxy or a sign-in page`,
  });
}

function hintFor(
  status: number,
  { method, path, host, tries, tokenSource }: SentRequest,
): string | undefined {
  if (status === 401) return tokenHint(tokenSource, host);
  if (status === 404 && method === 'GET') {
    if (/^\/organizations\/[^/?]+\/workspaces(\?|$)/.test(path))
      return `check the name of the organization, and that the token for ${host} belongs to it`;
    if (path.startsWith('/team-projects?')) return 'check the project and whether the token may see it';
  }
  if (status === 404 && path.endsWith('/relationships/tags'))
    return 'remove `tags` if the service does not offer tags, else check that the token may manage them';
  if (status === 429) return 'wait for other users of the same token, or set a lower --rate';
  if (status >= 500) return `run again later: ${host} has a problem${triesText(tries)}`;
  return undefined;
}

function tokenHint(source: string | undefined, host: string): string {
  const isFile = source !== undefined && /[\\/.]/.test(source);
  return isFile
    ? `run \`terraform login ${host}\`, or set ATTUNE_TOKEN: the token in ${source} is not valid for ${host}`
    : `set ${source ?? 'ATTUNE_TOKEN'} to a token that is valid for ${host}`;
}

export function triesText(tries: number): string {
  return tries > 1 ? ` (${tries} tries)` : '';
}

function origin(location: string | string[] | undefined): string {
  try {
    return new URL(String(location)).origin;
  } catch {
    return 'another path';
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const longestExplanation = 200;

/** What a failed response explains if it is not JSON:API. A page of a proxy explains nothing in a few words. */
function explanationOf(document: unknown, response: HttpResponse): Explanation | undefined {
  if (response.text.trim() === '') return undefined;
  const short = (given: string) => given.replaceAll(/\s+/g, ' ').trim().slice(0, longestExplanation);
  if (document === undefined) return { source: 'text', text: isPage(response) ? '' : short(response.text) };
  const members = isRecord(document) ? document : {};
  const { detail, message, error_description: description, error, errors, title } = members;
  const named = [detail, message, description, error, errors, title];
  const found =
    typeof document === 'string' ? document : named.map(text).find((given) => given !== undefined);
  const isEmpty = isRecord(document) && Object.keys(document).length === 0;
  return { source: 'json', text: short(found ?? (isEmpty ? '' : response.text)) };
}

const longest = 500;

/** JSON:API error objects or a list of plain texts; none for anything else, such as an HTML page of a proxy. Never throws. */
export function errorDetails(document: unknown): ServiceErrorDetail[] {
  if (!isRecord(document) || !Array.isArray(document.errors)) return [];
  return document.errors.slice(0, 20).flatMap((entry: unknown): ServiceErrorDetail[] => {
    if (typeof entry === 'string') return [{ detail: entry.slice(0, longest) }];
    if (!isRecord(entry)) return [];
    const pointer = isRecord(entry.source) ? text(entry.source.pointer) : undefined;
    const title = text(entry.title);
    const detail = text(entry.detail);
    return [{ ...(title && { title }), ...(detail && { detail }), ...(pointer && { pointer }) }];
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined;
}
