import { anyone, type Caller, callerOf } from './callers.ts';
import { reject } from './http/rejection.ts';
import type { Store } from './store/store.ts';

/** Who sends a request, by its Authorization header. Without configured tokens any header, or none, is an owner's. */
export function authenticate(store: Store, header: string | undefined): Caller {
  if (store.size('tokens') === 0) return anyone;
  const secret = /^bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1];
  const token = secret === undefined ? undefined : store.get('tokens', secret);
  if (!token) throw reject(401);
  return callerOf(token);
}
