import type { AppliedChange } from '../model/apply-result.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import type { ReportEntry } from '../report/report.ts';

/** What one cycle found and did. */
export interface CycleOutcome {
  /** The errors of the configuration, without which no organization is read. */
  readonly refused: readonly ReportEntry[];
  readonly organizations: readonly OrganizationOutcome[];
}

/** What one cycle found and did in one organization. */
export interface OrganizationOutcome {
  readonly organization: string;
  /** Whether its live state was read, and every change was applied that the mode applies. */
  readonly isSuccess: boolean;
  /** The plans with their results; absent if no plan was made. */
  readonly found?: FoundState;
  /** Why no plan was made. */
  readonly errors: readonly ReportEntry[];
  /** The age of the oldest value that the cycle used, in milliseconds, now. */
  readonly oldestReadAge: () => number;
}

/** The live state of an organization, compared with its files. */
export interface FoundState {
  /** One per root file. */
  readonly entries: readonly ReportEntry[];
  readonly plans: readonly Plan[];
  /** What was applied; changes that the mode withholds are not part of it. */
  readonly applied: readonly AppliedChange[];
  /** The deletions that the next cycle applies if it plans them, too. */
  readonly waiting: readonly PlannedChange[];
  /** The changes that are still needed after the cycle. */
  readonly remaining: readonly PlannedChange[];
  readonly readAt: Date;
}

export function isSuccessful({ refused, organizations }: CycleOutcome): boolean {
  return refused.length === 0 && organizations.every(({ isSuccess }) => isSuccess);
}

/** All diagnostics of an outcome, with the organization they are about. */
export function diagnosticsOf({ refused, organizations }: CycleOutcome): readonly {
  readonly organization?: string;
  readonly entry: ReportEntry;
  readonly diagnostic: Diagnostic;
}[] {
  const of = (entries: readonly ReportEntry[], organization?: string) =>
    entries.flatMap((entry) =>
      entry.diagnostics.map((diagnostic) => ({
        entry,
        diagnostic,
        ...(organization !== undefined && { organization }),
      })),
    );
  return [
    ...of(refused),
    ...organizations.flatMap(({ organization, errors, found }) =>
      of([...(found?.entries ?? []), ...errors], organization),
    ),
  ];
}
