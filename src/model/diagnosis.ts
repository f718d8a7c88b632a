/** The results of a check. A warning needs attention, and does not fail the command. */
export const checkStatuses = ['ok', 'failed', 'warning', 'skipped'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** One check with what it found. */
export interface CheckResult {
  readonly check: string;
  readonly status: CheckStatus;
  /** What was found; for a skipped check, why it was skipped. */
  readonly evidence: string;
  /** What to do; for checks that failed and for warnings. */
  readonly fix?: string;
}

/** The checks of one root file, in their order. */
export interface Diagnosis {
  /** Absent if the file does not name it. */
  readonly organization?: string;
  readonly file: string;
  readonly checks: readonly CheckResult[];
}
