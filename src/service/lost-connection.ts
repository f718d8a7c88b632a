import { type SentRequest, triesText } from './answer.ts';
import { certificateFailure } from './certificate-failure.ts';
import { maskToken } from './mask-token.ts';
import type { HttpProxy } from './proxy.ts';
import { connectStatus, ProxyConnectionError, proxyRefusal } from './proxy-refusal.ts';
import { NetworkError } from './service-error.ts';
import { UnknownEncodingError } from './transport.ts';

interface LostConnection {
  /** The error of the connection. */
  readonly cause: unknown;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly token: string | undefined;
  readonly proxy?: HttpProxy | undefined;
}

/** The error of a request that got no complete answer. */
export function lostConnection(request: SentRequest, lost: LostConnection): NetworkError {
  const { timeout, token, proxy } = lost;
  const isOfProxy = lost.cause instanceof ProxyConnectionError;
  const cause = isOfProxy ? lost.cause.cause : lost.cause;
  const refused =
    certificateFailure(cause, proxy && isOfProxy ? proxy.url.host : request.host) ??
    (proxy && proxyRefusal(cause, request.host, proxy));
  if (refused) {
    return new NetworkError(request, refused.reason, {
      cause,
      hint: refused.hint,
      permanent: 'not-sent',
    });
  }
  const tries = triesText(request.tries);
  if (proxy && isOfProxy) {
    return new NetworkError(request, `no connection to the proxy ${proxy.shown}: ${describe(cause)}`, {
      cause,
      hint: `check the address in ${proxy.variable}, or add ${request.host} to NO_PROXY to connect without the proxy${tries}`,
    });
  }
  const hint = proxy
    ? `check the address ${request.host}, and whether the proxy in ${proxy.variable} connects to it${tries}`
    : `check the address ${request.host} and the connection to it${tries}`;
  if (isTimeout(cause)) {
    return new NetworkError(request, `no response within ${timeout} s`, {
      cause,
      hint: `${hint}, or set a longer --timeout`,
    });
  }
  return new NetworkError(request, maskToken(describe(cause), token), {
    cause,
    hint,
    ...(isPermanent(cause) && { permanent: 'not-readable' }),
  });
}

/** Whether nothing was sent, because no process listens at the address. */
export function isRefusedConnection(cause: unknown): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === 'ECONNREFUSED';
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

/** Errors that the same request would cause again. */
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
    return `the response has an unsupported content encoding ${JSON.stringify(error.encoding)}`;
  const status = connectStatus(error);
  if (status !== undefined) return `the proxy answered ${status}`;
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
      return 'the connection was closed before the response was complete';
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'the connection failed';
    case 'ERR_BUFFER_TOO_LARGE':
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return 'the response is too large';
    default:
      return `no usable response (${code ?? message ?? 'unknown failure'})`;
  }
}
