export interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const noContent: Answer = { status: 204 };

export function json(status: number, document: unknown): Answer {
  return { status, body: JSON.stringify(document) };
}

export interface ErrorObject {
  readonly status: string;
  readonly title: string;
  readonly detail?: string | undefined;
  readonly source?: { readonly pointer: string };
}

export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly status: number;
  readonly errors: readonly ErrorObject[];

  constructor(status: number, errors: readonly ErrorObject[]) {
    super(errors.map((error) => error.detail ?? error.title).join('; '));
    this.status = status;
    this.errors = errors;
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  409: 'conflict',
  413: 'payload too large',
  415: 'unsupported media type',
  422: 'unprocessable entity',
  429: 'too many requests',
  500: 'internal server error',
  502: 'bad gateway',
  503: 'service unavailable',
  504: 'gateway timeout',
};

export function errorObject(status: number, detail?: string): ErrorObject {
  return { status: String(status), title: titles[status] ?? 'error', detail };
}

export function reject(status: number, detail?: string): Rejection {
  return new Rejection(status, [errorObject(status, detail)]);
}

/** The object does not exist, or the caller may not see it: the service does not distinguish the two. */
export function notFound(): Rejection {
  return reject(404);
}

export function invalid(pointer: string, detail: string): ErrorObject {
  return { status: '422', title: 'invalid attribute', detail, source: { pointer } };
}

export function invalidAttribute(name: string, detail: string): ErrorObject {
  return invalid(`/data/attributes/${name}`, detail);
}

export function rejectInvalid(pointer: string, detail: string): Rejection {
  return new Rejection(422, [invalid(pointer, detail)]);
}

export function refuseInvalid(errors: readonly ErrorObject[]): void {
  if (errors.length > 0) throw new Rejection(422, errors);
}
