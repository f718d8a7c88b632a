import type { HttpProxy } from './proxy.ts';

/** No connection to the proxy itself, as opposed to one from the proxy to the service. */
export class ProxyConnectionError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Why a proxy refused to connect to a host, and what the user can do; `undefined` if it did not, or may do so later. */
export function proxyRefusal(
  error: unknown,
  host: string,
  { shown, variable, authorization }: HttpProxy,
): { readonly reason: string; readonly hint: string } | undefined {
  const status = connectStatus(error);
  if (status === 407) {
    return authorization === undefined
      ? {
          reason: `the proxy ${shown} requires a user name and password (407)`,
          hint: `add them to ${variable}, as in http://USER:PASSWORD@proxy.example.com:3128`,
        }
      : {
          reason: `the proxy ${shown} refused the user name and password (407)`,
          hint: `correct them in ${variable}; write characters such as @ and : percent-encoded`,
        };
  }
  if (status === undefined || status >= 500) return undefined;
  return {
    reason: `the proxy ${shown} does not connect to ${host} (${status})`,
    hint: `allow ${host} on the proxy, or add ${host} to NO_PROXY to connect without the proxy`,
  };
}

/** The status that a proxy answered to CONNECT. undici has it in the text of its error only. */
export function connectStatus(error: unknown): number | undefined {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(error instanceof Error ? error.message : '') ?? [];
  return status === undefined ? undefined : Number(status);
}
