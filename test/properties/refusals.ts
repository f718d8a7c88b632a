import type { AppliedChange } from '../../src/model/apply-result.ts';

/** What the service itself refuses, and no plan can know or help. Anything else that fails is a bug. */
const refusals: readonly RegExp[] = [
  // Another user holds the lock, and Attune does not force it.
  /actions\/unlock answered 409: .*is locked by User user-jo/,
  // On live services a safe delete leaves what is locked.
  /safe-delete answered 409: .*is locked and must be unlocked/,
  // The organization's pool shall be used, and it has none: it is not read.
  /answered 422: must be specified when using 'agent' execution mode/,
];

export function isRefusedByService({ result, error }: AppliedChange): boolean {
  const hasFailed = result === 'failed' || result === 'partial';
  return hasFailed && refusals.some((refusal) => refusal.test(error?.message ?? ''));
}
