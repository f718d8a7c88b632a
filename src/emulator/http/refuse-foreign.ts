import type { IncomingMessage } from 'node:http';
import { reject } from './rejection.ts';

/**
 * Refuses requests that a page in a browser may have caused: ones for a host name that is not loopback, which a page can
 * point at this machine, and ones that carry the origin of another site.
 */
export function refuseForeign({ headers: { host, origin } }: IncomingMessage): void {
  if (host === undefined || !isLoopback(host)) {
    throw reject(403, 'The Host header must name a loopback address, such as 127.0.0.1 or localhost.');
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    throw reject(403, `Requests from the origin ${origin} are not allowed.`);
  }
}

function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);
}
