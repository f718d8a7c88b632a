import type { Report, ReportEntry, ReportKind } from '../report/report.ts';
import { type CycleOutcome, isSuccessful, type OrganizationOutcome } from './cycle.ts';

/** What a `watch` has found so far, for its endpoints. */
export interface Status {
  /** Gets the outcome of each cycle. */
  cycleEnded(outcome: CycleOutcome, endedAt: Date): void;
  /** True after the first successful cycle, until three cycles in a row have failed. */
  isReady(): boolean;
  /** The number of failed cycles in a row. */
  failures(): number;
  /** The organizations of the last valid configuration. */
  organizations(): readonly string[];
  /** The latest report; `undefined` before the end of the first cycle. */
  report(now: Date): Report | undefined;
}

const failuresUntilUnready = 3;

/** @param kind The kind of its reports. */
export function createStatus(kind: ReportKind): Status {
  let hasSucceeded = false;
  let failures = 0;
  let last: { readonly outcome: CycleOutcome; readonly endedAt: Date } | undefined;
  let organizations: readonly string[] = [];
  /** The last outcome of each organization that has a plan. */
  let known = new Map<string, OrganizationOutcome>();

  return {
    cycleEnded(outcome, endedAt) {
      const isSuccess = isSuccessful(outcome);
      hasSucceeded ||= isSuccess;
      failures = isSuccess ? 0 : failures + 1;
      last = { outcome, endedAt };
      if (outcome.refused.length > 0) return;
      organizations = outcome.organizations.map(({ organization }) => organization);
      known = new Map(
        outcome.organizations.flatMap((one) => {
          const shown = one.found ? one : known.get(one.organization);
          return shown ? [[one.organization, shown] as const] : [];
        }),
      );
    },
    isReady: () => hasSucceeded && failures < failuresUntilUnready,
    failures: () => failures,
    organizations: () => organizations,
    report(now) {
      if (last === undefined) return undefined;
      const { outcome, endedAt } = last;
      const failed = new Map(outcome.organizations.map((one) => [one.organization, one.errors]));
      const names = [...new Set([...known.keys(), ...failed.keys()])].sort();
      const entries = names.flatMap((name) => {
        const errors = failed.get(name) ?? [];
        const shown = known.get(name);
        const failedAt = outcome.refused.length > 0 || errors.length > 0 ? endedAt : undefined;
        return [...errors, ...(shown ? foundEntries(shown, { now, failedAt }) : [])];
      });
      return { kind, entries: [...outcome.refused, ...entries] };
    },
  };
}

interface ShownAt {
  readonly now: Date;
  /** When the last cycle failed to read the organization again. */
  readonly failedAt: Date | undefined;
}

/** The entries of an organization, with the age of what they show. */
function foundEntries(
  { found, oldestReadAge }: OrganizationOutcome,
  { now, failedAt }: ShownAt,
): readonly ReportEntry[] {
  if (found === undefined) return [];
  const { entries, readAt } = found;
  const age = now.getTime() - readAt.getTime();
  const oldest = oldestReadAge();
  const sentences = [
    `Read at ${timeText(readAt)}, ${durationText(age)} before this page was loaded.`,
    // Without --max-age, everything is read in each cycle.
    ...(oldest > age
      ? [`The oldest consumer list, grant or retention was read ${durationText(oldest)} ago.`]
      : []),
    ...(failedAt ? [`The last cycle failed at ${timeText(failedAt)}; this is the state before it.`] : []),
  ];
  return entries.map((entry) => ({ ...entry, about: sentences.join(' ') }));
}

function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `42 s`, `3 min`, `2 h 5 min`. */
function durationText(milliseconds: number): string {
  const seconds = Math.max(Math.round(milliseconds / 1000), 0);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
