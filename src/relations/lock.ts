import { isRecord, type Value } from '../model/value.ts';
import type { Relation } from './relation.ts';

/** The lock (interface, section 4.3). Its holder and reason are not compared. */
export const lock = { shown: isLocked } as const satisfies Relation;

export function isLocked(value: Value | undefined): boolean {
  return isRecord(value) && value.locked === true;
}
