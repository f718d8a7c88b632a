import { type Asked, triesText } from './answer.ts';
import { certificateFailure } from './certificate-failure.ts';
import { maskToken } from './mask-token.ts';
import { NetworkError } from './service-error.ts';

export interface LostConnection {
  /** The error of the connection. */
  readonly cause: unknown;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly token: string | undefined;
}

/** An answer in a content coding that Attune does not decode. */
export class UnknownEncodingError extends Error {
  readonly encoding: string;

  constructor(encoding: string) {
    super(`unknown content encoding ${encoding}`);
    this.encoding = encoding;
  }
}

/** The error of a request that got no complete answer. */
export function lostConnection(request: Asked, lost: LostConnection): NetworkError {
  const { cause, timeout, token } = lost;
  const refused = certificateFailure(cause, request.host);
  if (refused) {
    return new NetworkError(request, refused.reason, {
      cause,
      hint: refused.hint,
      permanent: 'not-sent',
    });
  }
  const hint = `check the address ${request.host} and the connection to it${triesText(request.tries)}`;
  if (isTimeout(cause)) {
    return new NetworkError(request, `no answer within ${timeout} s`, {
      cause,
      hint: `${hint}, or give a longer --timeout`,
    });
  }
  return new NetworkError(request, maskToken(describe(cause), token), {
    cause,
    hint,
    ...(isPermanent(cause) && { permanent: 'not-readable' }),
  });
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

/** The same request gets the same answer again. */
function isPermanent(error: unknown): boolean {
  const { code } = error as { code?: string };
  return (
    code === 'ERR_BUFFER_TOO_LARGE' ||
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ||
    error instanceof UnknownEncodingError
  );
}

function describe(error: unknown): string {
  if (error instanceof UnknownEncodingError)
    return `the answer has the content encoding ${JSON.stringify(error.encoding)}, which Attune does not decode`;
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host was not found';
    case 'EPIPE':
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'the connection was cut before the answer was whole';
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'no connection came about';
    case 'ERR_BUFFER_TOO_LARGE':
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return 'the answer is larger than any that the service gives';
    default:
      return `no usable answer (${code ?? message ?? 'unknown failure'})`;
  }
}
