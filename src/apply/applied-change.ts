import { recoverableItems } from '../live/recoverable-items.ts';
import type { AppliedChange, CallError } from '../model/apply-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import { isHeld, type PlannedChange } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import type { ServiceReader } from '../service/client.ts';
import { NetworkError } from '../service/service-error.ts';
import type { ChangeSender } from './change-sender.ts';
import type { TaskOutcome } from './run-tasks.ts';

/** A call whose answer shows another value took effect, so dependent calls are sent; its change is not done. */
export function appliedChange(
  change: PlannedChange,
  outcomes: readonly (TaskOutcome | undefined)[],
  sender: ChangeSender | undefined,
): AppliedChange {
  const counts = sender?.counts() ?? { callsDone: 0 };
  const { callsDone, extraCalls = 0 } = counts;
  const sent = change.calls.length + extraCalls + (sender?.extraFailed() ?? 0);
  const done = callsDone + extraCalls;
  const notDone = (result: 'failed' | 'skipped', error: CallError): AppliedChange => {
    if (done === 0) return { ...change, result, ...counts, error };
    const message = `${error.message} (${done} of ${counted(sent, 'call')} completed)`;
    return { ...change, result: 'partial', ...counts, error: { ...error, message } };
  };
  const notTaken = sender?.notTaken();
  const failed = outcomes.find((outcome) => outcome?.result === 'failed');
  if (failed?.result === 'failed') return notDone('failed', callError(failed.error));
  if (notTaken) {
    const { method, path } = notTaken.call;
    const hints = new Set(notTaken.diagnostics.flatMap(({ hint }) => hint ?? []));
    const message = [...notTaken.diagnostics.map((one) => one.message), ...hints].join('; ');
    return notDone('failed', { message, code: 'not-taken', method, path });
  }
  const { nextFreeze } = change;
  if (nextFreeze && outcomes.some((outcome) => outcome?.result === 'held')) {
    const { reason, until } = nextFreeze;
    const held = [...(change.held ?? []), { by: 'freeze', reason, until } as const];
    return { ...change, held, result: 'held', ...counts };
  }
  if (isHeld(change)) return { ...change, result: 'held', ...counts };
  const skipped = outcomes.find((outcome) => outcome?.result === 'skipped');
  if (skipped?.result === 'skipped') {
    const { reason, isStopped } = skipped;
    const rest = `the rest ${isStopped ? 'was ' : ''}${reason}`;
    return notDone('skipped', { message: done === 0 ? reason : rest });
  }
  return { ...change, result: 'done', ...counts };
}

function callError(error: unknown): CallError {
  const { method, path, status } = error as Partial<CallError>;
  const isKnown = error instanceof AttuneError;
  const message = isKnown ? error.message : `internal error: ${String(error)}`;
  const hint = isKnown ? error.hint : undefined;
  return {
    message: hint ? `${message}; ${hint}` : message,
    code: error instanceof NetworkError && error.effect === 'unknown' ? 'unknown-effect' : undefined,
    method,
    path,
    status,
  };
}

export async function withRecoverableUntil(
  changes: readonly AppliedChange[],
  organization: string,
  reader: ServiceReader,
): Promise<readonly AppliedChange[]> {
  const deleted = changes.filter(({ recovery, result }) => recovery === 'recoverable' && result === 'done');
  const ids = deleted.flatMap(({ id }) => id ?? []);
  // The deletes are done, whatever a read after them answers.
  const items = await recoverableItems(reader, organization, ids).catch((error: unknown) => {
    if (error instanceof AttuneError) return undefined;
    throw error;
  });
  return changes.map((change) => {
    const { expiresAt } = (deleted.includes(change) && items?.get(change.id ?? '')) || {};
    return expiresAt === undefined ? change : { ...change, recoverableUntil: expiresAt };
  });
}
