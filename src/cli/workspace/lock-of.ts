import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { type LockHolder, lockHolder } from '../../live/lock-holder.ts';
import { isRecord } from '../../model/value.ts';

/** The lock of a workspace as it was read. */
export interface Lock {
  readonly locked: boolean;
  readonly holder?: LockHolder;
  readonly reason?: string;
}

export function lockOf({ resource, document, included }: FoundWorkspace): Lock {
  const { lock } = resource.attributes;
  const { locked, reason } = isRecord(lock) ? lock : {};
  const holder = lockHolder(document, included);
  return {
    locked: locked === true,
    ...(holder && { holder }),
    ...(typeof reason === 'string' && { reason }),
  };
}
