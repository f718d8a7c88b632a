import { type SentRequest, triesText } from './answer.ts';
import { maskToken } from './mask-token.ts';
import { connectStatus, type HttpProxy, ProxyConnectionError, proxyRefusal } from './proxy.ts';
import { NetworkError } from './service-error.ts';

interface LostConnection {
  readonly cause: unknown;
  /** Seconds per attempt. */
  readonly timeout: number;
  readonly token: string | undefined;
  readonly proxy?: HttpProxy | undefined;
}

export function lostConnection(request: SentRequest, lost: LostConnection): NetworkError {
  const { timeout, token, proxy } = lost;
  const isOfProxy = lost.cause instanceof ProxyConnectionError;
  const cause = isOfProxy ? lost.cause.cause : lost.cause;
  const refused =
    certificateFailure(cause, proxy && isOfProxy ? proxy.url.host : request.host) ??
    (proxy && proxyRefusal(cause, request.host, proxy));
  if (refused) {
    return new NetworkError(request, refused.reason, { cause, hint: refused.hint, permanent: 'not-sent' });
  }
  const tries = triesText(request.tries);
  if (proxy && isOfProxy) {
    return new NetworkError(
      request,
      `no connection to the proxy ${proxy.shown}: ${connectionFailure(cause)}`,
      {
        cause,
        hint: `check the address in ${proxy.variable}, or add ${request.host} to NO_PROXY to connect without the proxy${tries}`,
      },
    );
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
  return new NetworkError(request, maskToken(connectionFailure(cause), token), {
    cause,
    hint,
    ...(isPermanent(cause) && { permanent: 'not-readable' }),
  });
}

export function isRefusedConnection(cause: unknown): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === 'ECONNREFUSED';
}

function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

function isPermanent(error: unknown): boolean {
  const { code } = error as { code?: string };
  return (
    code === 'ERR_BUFFER_TOO_LARGE' ||
    code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ||
    code === 'ERR_UNKNOWN_ENCODING'
  );
}

export function connectionFailure(error: unknown): string {
  const status = connectStatus(error);
  if (status !== undefined) return `the proxy answered ${status}`;
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case 'ERR_UNKNOWN_ENCODING':
      return `the response has an unsupported content encoding ${JSON.stringify(message)}`;
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

const untrusted: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in a self-signed certificate that is not a known CA',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate of its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate of its issuer is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server does not send the certificate of its issuer',
  CERT_UNTRUSTED: 'its CA is not trusted',
  INVALID_CA: 'its issuer is not a CA',
};
const outOfDate: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
};

export function certificateFailure(
  error: unknown,
  host: string,
): { readonly reason: string; readonly hint: string } | undefined {
  // A DOMException has a number as its code.
  const { code: found, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const code = String(found ?? '');
  if (Object.hasOwn(untrusted, code)) {
    return {
      reason: `the TLS certificate of ${host} is not trusted: ${untrusted[code]} (${code})`,
      hint: 'set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it',
    };
  }
  if (Object.hasOwn(outOfDate, code)) {
    return {
      reason: `the TLS certificate of ${host} ${outOfDate[code]} (${code})`,
      hint: `replace the certificate of ${host}, or correct the clock of this machine`,
    };
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const { cert } = error as { cert?: { subjectaltname?: string } };
    const names = cert?.subjectaltname ? ` (it is for ${cert.subjectaltname})` : '';
    return {
      reason: `the TLS certificate of ${host} is for another host${names}`,
      hint: 'set the address to a host name that the certificate contains',
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
