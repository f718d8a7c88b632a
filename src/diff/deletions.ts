import { deletionSource, modeHints } from '../model/deletion.ts';
import { about, type Diagnostic, type Severity } from '../model/diagnostic.ts';
import type { DeleteMode, Resource } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import type { Deletion } from './match-workspaces.ts';

/**
 * Reports problems of the deletions of a plan: a safe delete of a workspace that manages resources would fail, and so does
 * one of a locked workspace on live services. A forced delete abandons the resources and ignores the lock.
 *
 * @param refusal the severity of a deletion that cannot be made
 */
export function checkDeletions(deletions: Iterable<Deletion>, refusal: Severity): Diagnostic[] {
  const inOrder = [...deletions].sort((a, b) => (a.live.address < b.live.address ? -1 : 1));
  return inOrder.flatMap((deletion) => checks[deletion.mode](deletion, refusal));
}

const checks: Readonly<Record<DeleteMode, (deletion: Deletion, refusal: Severity) => Diagnostic[]>> = {
  safe: safeDelete,
  force: forcedDelete,
};

function safeDelete(deletion: Deletion, refusal: Severity): Diagnostic[] {
  const { live, desired } = deletion;
  const count = resourceCount(live);
  if (count === 0) return lockedDelete(deletion);
  const hints = modeHints[deletionSource(desired !== undefined, desired?.location)];
  return [
    {
      severity: refusal,
      code: 'manages-resources',
      message: `${live.address} cannot be deleted safely: it manages ${counted(count, 'resource')}`,
      ...about({ address: live.address, location: desired?.location }),
      hint: `destroy the resources first, or ${hints.force} to delete the workspace without destroying them`,
    },
  ];
}

/** Whether a lock forbids a safe delete is not documented (interface, section 4.1), and the lock can end before the apply. */
function lockedDelete({ live, desired }: Deletion): Diagnostic[] {
  const reason = locked(live, desired);
  if (reason === undefined) return [];
  return [
    {
      severity: 'warning',
      code: 'locked-delete',
      message: `the service can refuse to delete ${live.address} safely: ${reason}`,
      ...about({ address: live.address, location: desired?.location }),
      hint: 'unlock it before the apply, or ask the holder of the lock',
    },
  ];
}

function forcedDelete({ live, desired }: Deletion): Diagnostic[] {
  const reasons = [abandoned(live), locked(live, desired)].filter((reason) => reason !== undefined);
  if (reasons.length === 0) return [];
  const hints = modeHints[deletionSource(desired !== undefined, desired?.location)];
  return [
    {
      severity: 'warning',
      code: 'forced-delete',
      message: `${live.address} is force-deleted: ${reasons.join(', and ')}`,
      ...about({ address: live.address, location: desired?.location }),
      hint: `${hints.safe} to keep the workspace while it manages resources`,
    },
  ];
}

function abandoned(live: Resource): string | undefined {
  const count = resourceCount(live);
  if (count === 0) return undefined;
  return `it manages ${counted(count, 'resource')}, which ${count === 1 ? 'is' : 'are'} not destroyed`;
}

function resourceCount({ attributes }: Resource): number {
  const count = attributes['resource-count'];
  return typeof count === 'number' ? count : 0;
}

/** An undo of a creation may delete a workspace that the same run locked, because it unlocks the workspace first. */
function locked({ attributes: { lock } }: Resource, desired: Resource | undefined): string | undefined {
  if (!isRecord(lock) || lock.locked !== true || desired?.declared?.unlocks) return undefined;
  const reason = typeof lock.reason === 'string' ? ` ("${lock.reason}")` : '';
  return typeof lock.by === 'string' ? `it is locked by ${lock.by}${reason}` : `it is locked${reason}`;
}
