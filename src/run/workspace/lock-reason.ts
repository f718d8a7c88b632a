import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { lockOf } from '../../live/workspace-entry.ts';
import type { LeftWorkspace } from './act.ts';
import type { Found } from './find.ts';

/** Workspaces by the reason of their lock. */
export interface ByLockReason {
  /** Locked with the reason. */
  readonly chosen: Found;
  /** Locked otherwise, or named although they are not locked. */
  readonly left: readonly LeftWorkspace[];
  /** How many others are not locked. */
  readonly unlocked: number;
}

/**
 * Chooses the workspaces that are locked with a reason. Without a reason all are chosen.
 *
 * @param isOpen Whether the command line names no workspaces, so that those without a lock are only counted.
 */
export function byLockReason(found: Found, reason: string | undefined, isOpen: boolean): ByLockReason {
  if (reason === undefined) return { chosen: found, left: [], unlocked: 0 };
  const isChosen = (one: FoundWorkspace) => {
    const lock = lockOf(one);
    return lock.locked && (lock.reason ?? '') === reason;
  };
  const others = found.filter((one) => !isChosen(one));
  const isCounted = (one: FoundWorkspace) => isOpen && !lockOf(one).locked;
  return {
    chosen: found.filter(isChosen),
    left: others.filter((one) => !isCounted(one)).map((one) => ({ found: one, note: noteOf(one) })),
    unlocked: others.filter(isCounted).length,
  };
}

function noteOf(one: FoundWorkspace): string {
  const { locked, reason } = lockOf(one);
  if (!locked) return 'it is not locked';
  if (reason !== undefined) return `it is locked with another reason: ${reason}`;
  // The service returns null for a lock without a reason, and a service that hides the reason returns nothing.
  return one.document.attributes['locked-reason'] === undefined
    ? 'the service does not return the reason of its lock'
    : 'it is locked without a reason';
}
