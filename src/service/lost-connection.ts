import { type Asked, triesText } from './answer.ts';
import { maskToken } from './mask-token.ts';
import { NetworkError } from './service-error.ts';

export interface LostConnection {
  /** What the connection threw. */
  readonly cause: unknown;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly token: string | undefined;
}

/** The error of a request that got no whole answer. */
export function lostConnection(request: Asked, lost: LostConnection): NetworkError {
  const { cause, timeout, token } = lost;
  const hint = `check the address ${request.host} and the connection to it${triesText(request.tries)}`;
  if (isTimeout(cause)) {
    return new NetworkError(request, `no answer within ${timeout} s`, {
      cause,
      hint: `${hint}, or give a longer --timeout`,
    });
  }
  return new NetworkError(request, maskToken(describe(cause), token), { cause, hint });
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

function describe(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case 'ECONNREFUSED':
      return 'the connection was refused';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host was not found';
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
      return 'the connection was cut before the answer was whole';
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return 'no connection came about';
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
    case 'ERR_BUFFER_TOO_LARGE':
      return 'the answer is larger than any that the service gives';
    default:
      return `no usable answer (${code ?? message ?? 'unknown failure'})`;
  }
}
