import type { AppliedChange } from '../../model/apply-result.ts';
import type { Plan, PlannedChange } from '../../model/plan.ts';
import type { ReportEntry } from '../../report/report.ts';

/** What a cycle applies: nothing, everything but deletions, or everything. */
export const healModes = ['none', 'update', 'all'] as const;
export type HealMode = (typeof healModes)[number];

export interface CycleOutcome {
  readonly refused: readonly ReportEntry[];
  readonly organizations: readonly OrganizationOutcome[];
}

export interface OrganizationOutcome {
  readonly organization: string;
  readonly roots: readonly ReportEntry[];
  /** Whether its live state was read, and every change was applied that the mode applies. */
  readonly isSuccess: boolean;
  readonly found?: FoundState | undefined;
  readonly errors: readonly ReportEntry[];
  /** The age of the oldest value that the cycle used, in milliseconds, now. */
  readonly oldestReadAge: () => number;
}

export interface FoundState {
  readonly entries: readonly ReportEntry[];
  readonly plans: readonly Plan[];
  /** What was applied; changes that are held, or that the mode withholds, are not part of it. */
  readonly applied: readonly AppliedChange[];
  /** The deletions that the next cycle applies if it plans them, too. */
  readonly waiting: readonly PlannedChange[];
  readonly held: readonly PlannedChange[];
  /** The changes that are still needed after the cycle, without those that are held as a whole. */
  readonly remaining: readonly PlannedChange[];
  /** What the service did not take, in this cycle or an earlier one, and what is still planned. */
  readonly notTaken: ReadonlySet<string>;
  readonly readAt: Date;
}

export function isSuccessful({ refused, organizations }: CycleOutcome): boolean {
  return refused.length === 0 && organizations.every(({ isSuccess }) => isSuccess);
}
