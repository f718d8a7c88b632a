import { isRecord, jsonIn } from '../model/value.ts';
import type { Document } from './documents.ts';
import type { HttpResponse, TransportOptions } from './http-transport.ts';
import { type FailedRequest, NetworkError, ServiceError, type ServiceErrorDetail } from './service-error.ts';
import { maskToken } from './token.ts';

interface SentRequest extends FailedRequest {
  readonly host: string;
  readonly tries: number;
  readonly tokenSource?: string | undefined;
}

/** @throws {NetworkError} if the response of a read has no document: it would be the same again */
export function answerOf(
  { response, ...lost }: LostConnection & { readonly response: HttpResponse | undefined },
  request: SentRequest,
) {
  if (response === undefined) return { failure: lostConnection(request, lost) };
  // An HTML page comes from a proxy and not from the service.
  const isSuccess = isOk(response) && (request.method === 'GET' || !isPage(response));
  return isSuccess ? { document: readDocument(response, request) } : { failure: refusal(response, request) };
}

/** `undefined` if a write has none. */
function readDocument(response: HttpResponse, request: SentRequest): Document | undefined {
  const isRead = request.method === 'GET';
  if (response.text.trim() === '') {
    if (isRead) throw new NetworkError(request, 'the response has no document', { status: response.status });
    return undefined;
  }
  const document = jsonIn(response.text);
  if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document;
  if (isRead) throw notJson(response, request);
  return undefined;
}

function refusal(response: HttpResponse, request: SentRequest): ServiceError | NetworkError {
  const { status, headers } = response;
  if (isOk(response)) return notJson(response, request);
  if (status >= 300 && status < 400) {
    return new NetworkError(request, `answered ${status}, a redirect to ${origin(headers.location)}`, {
      status,
      hint: 'set the address to the target of the redirect; Attune never follows redirects, to protect the token',
    });
  }
  return new ServiceError(request, status, errorDetails(jsonIn(response.text)), hintFor(status, request));
}

function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

function isPage({ text }: HttpResponse): boolean {
  return /^\s*</.test(text);
}

function notJson(response: HttpResponse, request: SentRequest): NetworkError {
  const kind = isPage(response) ? 'an HTML page' : 'a response that is not JSON';
  return new NetworkError(request, `answered ${response.status} with ${kind}`, {
    status: response.status,
    hint: `check that ${request.host} is the service itself and not a proxy or a sign-in page`,
  });
}

function hintFor(status: number, { method, path, host, tries, tokenSource }: SentRequest) {
  if (status === 401) return tokenHint(tokenSource, host);
  if (status === 404 && method === 'GET') {
    if (/^\/organizations\/[^/?]+\/(workspaces|projects)(\?|$)/.test(path))
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

function triesText(tries: number): string {
  return tries > 1 ? ` (${tries} tries)` : '';
}

function origin(location: string | string[] | undefined): string {
  const target = String(location);
  return URL.canParse(target) ? new URL(target).origin : 'another path';
}

const longest = 500;

/** JSON:API error objects or a list of plain texts; none for anything else, such as an HTML page of a proxy. Never throws. */
export function errorDetails(document: unknown): ServiceErrorDetail[] {
  if (!isRecord(document) || !Array.isArray(document.errors)) return [];
  return document.errors.slice(0, 20).flatMap((entry: unknown): ServiceErrorDetail[] => {
    if (typeof entry === 'string') return [{ detail: entry.slice(0, longest) }];
    if (!isRecord(entry)) return [];
    const pointer = isRecord(entry.source) ? text(entry.source.pointer) : undefined;
    return [{ title: text(entry.title), detail: text(entry.detail), pointer }];
  });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : undefined;
}

type LostConnection = Pick<TransportOptions, 'timeout' | 'proxy'> & {
  readonly cause: unknown;
  readonly token: string | undefined;
};

function lostConnection(request: SentRequest, { cause, timeout, token, proxy }: LostConnection) {
  const { host } = request;
  const failed = (message: string, hint: string, permanent?: NetworkError['permanent']) =>
    new NetworkError(request, message, { cause, hint, permanent });
  const isSecureProxy = proxy?.url.protocol === 'https:';
  const untrusted = certificateFailure(cause, isSecureProxy ? `${host} or its proxy ${proxy.shown}` : host);
  if (untrusted) return failed(untrusted.reason, untrusted.hint, 'not-sent');
  const where = proxy
    ? `the proxy ${proxy.shown} in ${proxy.variable}, or add ${host} to NO_PROXY`
    : 'the connection to it';
  const hint = `check the address ${host} and ${where}${triesText(request.tries)}`;
  if (isTimeout(cause))
    return failed(`no response within ${timeout} s`, `${hint}, or set a longer --timeout`);
  const isRefusal = (connectStatus(cause) ?? 500) < 500;
  const isUnreadable = Object.hasOwn(unreadable, String((cause as { code?: unknown }).code));
  const permanent = isRefusal ? 'not-sent' : isUnreadable ? 'not-readable' : undefined;
  return failed(maskToken(connectionFailure(cause), token), hint, permanent);
}

/** The status that a proxy answered to CONNECT. undici has it in the text of its error only. */
function connectStatus(error: unknown): number | undefined {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(error instanceof Error ? error.message : '') ?? [];
  return status === undefined ? undefined : Number(status);
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

/** The same request would fail again. */
const unreadable: Readonly<Record<string, string>> = {
  ERR_BUFFER_TOO_LARGE: 'the response is too large',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the response is too large',
  ERR_UNKNOWN_ENCODING: 'the response has an unsupported content encoding',
};

const interrupted: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host was not found',
  EAI_AGAIN: 'the host was not found',
  EPIPE: 'the connection was closed before the response was complete',
  ECONNRESET: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  ETIMEDOUT: 'the connection failed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection failed',
};

export function connectionFailure(error: unknown): string {
  const status = connectStatus(error);
  if (status !== undefined) return `the proxy answered ${status}`;
  const { code = '', message } = error as { code?: string; message?: string };
  if (code === 'ERR_UNKNOWN_ENCODING') return `${unreadable[code]} ${JSON.stringify(message)}`;
  const known = unreadable[code] ?? interrupted[code];
  return known ?? `no usable response (${code || (message ?? 'unknown failure')})`;
}

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

export function certificateFailure(
  error: unknown,
  host: string,
): { readonly reason: string; readonly hint: string } | undefined {
  // A DOMException has a number as its code.
  const { code: found, message = '', cause } = (error ?? {}) as Partial<Error> & { code?: unknown };
  // undici wraps the error of a certificate with another name only if it is that of a proxy.
  if (found === 'UND_ERR_PRX_TLS') return certificateFailure(cause, host);
  // Newer versions of Node add advice for other programs.
  const [why] = message.split(';', 1);
  const code = String(found ?? '');
  const isUntrusted = untrusted.has(code);
  if (isUntrusted || /^CERT_|^ERR_TLS_CERT_ALTNAME_INVALID$/.test(code)) {
    return {
      reason: `the TLS certificate of ${host} is not ${isUntrusted ? 'trusted' : 'valid'}: ${why} (${code})`,
      hint: isUntrusted
        ? 'set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it'
        : `replace the certificate of ${host}, set the address to a host name that it contains, or correct the clock of this machine`,
    };
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const why = /:(?:SSL routines:[^:]*:)?([a-z][a-z0-9 ]+):/i.exec(message)?.[1] ?? code;
    return {
      reason: `no TLS connection to ${host}: ${why}`,
      hint: `check that ${host} serves https on that port and supports TLS 1.2 or later`,
    };
  }
  return undefined;
}
