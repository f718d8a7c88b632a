import type { LockValue } from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { unusableWorkspace } from '../service/wire-codec.ts';
import type { Relation } from './relation.ts';

/** The lock (interface, section 4.3). Its holder and reason are not compared. */
export const lock = {
  fromDocument: (document) => ({ lock: readLock(document) }),
  shown: isLocked,
  restored: (value) => (isLocked(value) ? declaredLock(value) : undefined),
} as const satisfies Relation;

/** The value of nearly all workspaces, kept once. */
const unlocked: LockValue = { locked: false };

function readLock(document: ResourceObject): LockValue {
  const { locked, 'locked-reason': reason } = document.attributes;
  if (locked !== undefined && locked !== null && typeof locked !== 'boolean')
    throw unusableWorkspace(document.id, 'locked');
  if (locked !== true) return unlocked;
  const by = relatedId(document, 'locked-by');
  return {
    locked,
    ...(typeof reason === 'string' && reason !== '' && { reason }),
    ...(typeof by === 'string' && { by }),
  };
}

export function isLocked(value: Value | undefined): boolean {
  return isRecord(value) && value.locked === true;
}

/** Without the holder, which cannot be declared. */
export function declaredLock(value: Value): Value {
  const reason = isRecord(value) ? value.reason : undefined;
  return { locked: isLocked(value), ...(typeof reason === 'string' && { reason }) };
}
