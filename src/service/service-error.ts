import { AttuneError } from '../model/diagnostic.ts';

/** One entry of the service's own `errors`. */
export interface ServiceErrorDetail {
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly pointer?: string | undefined;
}

/** The request that an error is about. */
export interface FailedRequest {
  readonly method: string;
  /** Relative to `/api/v2`. */
  readonly path: string;
}

/**
 * The service answered with an error (interface, section 7). A 404 means that something does not exist or that
 * the token may not see it.
 *
 * @example
 * ```ts
 * try {
 *   await service.workspaces.show('ws-nowhere');
 * } catch (error) {
 *   if (!(error instanceof ServiceError)) throw error;
 *   console.log(error.method, error.path, error.status); // GET /workspaces/ws-nowhere 404
 * }
 * ```
 */
export class ServiceError extends AttuneError {
  override readonly name = 'ServiceError';
  override readonly code = 'service-error';
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly errors: readonly ServiceErrorDetail[];

  constructor(request: FailedRequest, status: number, errors: readonly ServiceErrorDetail[], hint?: string) {
    super(`${request.method} ${request.path} answered ${status}: ${explain(status, errors)}`, { hint });
    this.method = request.method;
    this.path = request.path;
    this.status = status;
    this.errors = errors;
  }
}

/**
 * The service did not answer, or its response cannot be used.
 *
 * @example
 * ```ts
 * const unreachable = createServiceClient({ address: new URL('http://127.0.0.1:1'), timeout: 1 });
 * const error = await unreachable.get('/organizations/acme').catch((reason: unknown) => reason);
 * console.log(error instanceof NetworkError); // true
 * ```
 */
export class NetworkError extends AttuneError {
  override readonly name = 'NetworkError';
  override readonly code = 'no-usable-answer';
  readonly method: string;
  readonly path: string;
  /** The status, if it was received. */
  readonly status?: number;
  /** Set if the same request would fail again: it was not sent, or its response cannot be read. */
  readonly permanent?: 'not-sent' | 'not-readable';
  /** Set for a write whose response was lost if a look-up did not show whether it took effect. */
  readonly effect?: 'unknown';

  constructor(
    request: FailedRequest,
    message: string,
    options: ErrorOptions & {
      hint?: string;
      status?: number;
      permanent?: 'not-sent' | 'not-readable' | undefined;
      effect?: 'unknown';
    } = {},
  ) {
    super(`${request.method} ${request.path}: ${message}`, options);
    this.method = request.method;
    this.path = request.path;
    if (options.status !== undefined) this.status = options.status;
    if (options.permanent !== undefined) this.permanent = options.permanent;
    if (options.effect !== undefined) this.effect = options.effect;
  }
}

/**
 * Whether an error is a 404 of the service: it does not exist, or the token may not see it.
 *
 * @example
 * ```ts
 * const missing = await service.workspaces
 *   .show({ organization: 'acme', name: 'nowhere' })
 *   .catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)));
 * console.log(missing); // undefined
 * ```
 */
export function isNotFound(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 404;
}

export async function ifFound<Found>(read: Promise<Found>): Promise<Found | undefined> {
  return read.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Whether an error can mean that the token may not see something. */
export function isHidden(error: unknown): error is AttuneError {
  return hidesEntries(error) || (error instanceof ServiceError && [403, 404].includes(error.status));
}

/** Whether the service answered with an empty list because the token may not see its entries. */
export function hidesEntries(error: unknown): error is AttuneError {
  return error instanceof AttuneError && error.code === 'access-unread';
}

/** Whether an error of the service has a text. Only the text of some refusals shows their reason. */
export function hasDetail(error: unknown, text: RegExp): boolean {
  return error instanceof ServiceError && error.errors.some(({ detail }) => text.test(detail ?? ''));
}

/** Whether an unlock was refused because the newest state version is not finished (interface, section 3): the service is available. */
export function isStatePending(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 503 && hasDetail(error, /state version/i);
}

/** Whether a repeated write was refused because an earlier attempt, or another user, has made it. */
export function isRefusedAsDone(error: unknown): boolean {
  const isGone = isNotFound(error) && error.errors.length > 0;
  return isGone || hasDetail(error, /already (been (taken|added|recovered)|(un)?locked)/i);
}

export function withHint(
  error: ServiceError,
  hint: string,
  details: readonly ServiceErrorDetail[] = [],
): ServiceError {
  return new ServiceError(error, error.status, [...error.errors, ...details], hint);
}

const meanings: Readonly<Record<number, string>> = {
  401: 'the token is missing or not valid',
  403: 'this token may not do that',
  404: 'not found, or this token may not see it',
  409: 'conflict with the current state',
  422: 'the service refused the content of the request',
  429: 'too many requests',
};

/** The router of a server answers in plain text or with a page, the service itself with a JSON:API error. */
const noEndpoint = 'not found, and the response is not JSON:API: the service may not have this endpoint';

function explain(status: number, errors: readonly ServiceErrorDetail[]): string {
  const usual = meanings[status] ?? (status >= 500 ? 'the service failed' : 'unexpected status');
  const meaning = status === 404 && errors.length === 0 ? noEndpoint : usual;
  const reasons = errors.map((error) => errorText(error, status)).filter((reason) => reason !== '');
  if (reasons.length === 0) return meaning;
  // A title only names a class of errors, and the meaning of a 404 is more useful than its text.
  const isExplained = status !== 404 && errors.some(({ detail }) => detail !== undefined);
  return isExplained ? reasons.join('; ') : `${meaning} (${reasons.join('; ')})`;
}

function errorText({ title, detail, pointer }: ServiceErrorDetail, status: number): string {
  const text = detail ?? title ?? '';
  // The standard text of a status adds nothing to its number. Most runs need no HTTP module of Node.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  const reason = text.toLowerCase() === STATUS_CODES[status]?.toLowerCase() ? '' : text.replace(/\.$/, '');
  return [reason, pointer && `(${pointer})`].filter(Boolean).join(' ');
}
