import { AttuneError } from '../model/attune-error.ts';

/** One entry of the service's own `errors`. */
export interface ServiceErrorDetail {
  readonly title?: string;
  readonly detail?: string;
  readonly pointer?: string;
}

export interface FailedRequest {
  readonly method: string;
  /** Relative to `/api/v2`. */
  readonly path: string;
}

/** The service answered, and not with success (interface, section 7). */
export class ServiceError extends AttuneError {
  override readonly name = 'ServiceError';
  override readonly code = 'service-error';
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly errors: readonly ServiceErrorDetail[];

  constructor(request: FailedRequest, status: number, errors: readonly ServiceErrorDetail[], hint?: string) {
    super(`${request.method} ${request.path} answered ${status}: ${explain(status, errors)}`, {
      ...(hint !== undefined && { hint }),
    });
    this.method = request.method;
    this.path = request.path;
    this.status = status;
    this.errors = errors;
  }
}

/** The service did not answer, or not with something that can be used. */
export class NetworkError extends AttuneError {
  override readonly name = 'NetworkError';
  override readonly code = 'no-usable-answer';
  readonly method: string;
  readonly path: string;
  /** The status, where at least that much arrived. */
  readonly status?: number;

  constructor(
    request: FailedRequest,
    message: string,
    options: ErrorOptions & { hint?: string; status?: number } = {},
  ) {
    super(`${request.method} ${request.path}: ${message}`, options);
    this.method = request.method;
    this.path = request.path;
    if (options.status !== undefined) this.status = options.status;
  }
}

export function isNotFound(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 404;
}

const meanings: Readonly<Record<number, string>> = {
  401: 'the token is missing or was not accepted',
  403: 'this token may not do that',
  404: 'not found, or this token may not see it',
  409: 'conflict with the current state',
  422: 'the service refused the content of the request',
  429: 'too many requests',
};

function explain(status: number, errors: readonly ServiceErrorDetail[]): string {
  const told = errors
    .map(({ title, detail, pointer }) =>
      [detail ?? title, pointer && `(${pointer})`].filter(Boolean).join(' '),
    )
    .filter((text) => text !== '');
  const meaning = meanings[status] ?? (status >= 500 ? 'the service failed' : 'not expected here');
  // What a 404 can mean matters more than the words "not found" that come with it.
  const own = status === 404 ? told.filter((text) => text.toLowerCase() !== 'not found') : told;
  if (own.length === 0) return meaning;
  return status === 404 ? `${meaning} (${own.join('; ')})` : own.join('; ');
}
