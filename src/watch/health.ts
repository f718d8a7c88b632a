import { groupBy } from '../model/value.ts';
import type { Report, ReportEntry, ReportKind } from '../report/report.ts';
import { type CycleOutcome, isSuccessful, type OrganizationOutcome } from '../run/cycle/create-cycle.ts';
import type { HealMode } from '../run/cycle/heal.ts';

interface HealthOptions {
  readonly heal: HealMode;
  /** Milliseconds. */
  readonly interval: number;
  readonly render: (report: Report) => Promise<string>;
}

const failuresUntilUnready = 3;

/** What a `watch` has found so far, for its endpoints. */
export type Health = ReturnType<typeof createHealth>;

export function createHealth({ heal, interval, render }: HealthOptions) {
  const kind: ReportKind = heal === 'none' ? 'drift' : 'apply';
  let hasWorked = false;
  let failures = 0;
  /** Cycles in a row that worked for no organization: one bad token among several does not count. */
  let idle = 0;
  /** The last outcome of each organization that has a plan. */
  let known = new Map<string, OrganizationOutcome>();
  let last: { readonly outcome: CycleOutcome; readonly endedAt: Date } | undefined;
  let lastFailure: string | undefined;
  let next: Date | undefined;
  let kept: Promise<Buffer> | undefined;

  const report = ({ outcome, endedAt }: NonNullable<typeof last>): Report => {
    const every = interval < 120_000 ? `${interval / 1000} s` : `${Math.round(interval / 6000) / 10} min`;
    const isSuccess = isSuccessful(outcome);
    const about = [
      `Mode: ${heal === 'none' ? 'reports only' : `applies ${heal === 'all' ? 'all changes' : 'updates'}`} (--heal ${heal}), every ${every}.`,
      ...(isSuccess
        ? [`Last cycle: succeeded at ${timeText(endedAt)}.`, `Last failure: ${lastFailure ?? 'none'}.`]
        : []),
      ...(next ? [`Next cycle: ${timeText(next)}.`] : []),
    ];
    return { kind, about, failure: isSuccess ? undefined : lastFailure, entries: entriesOf(known, outcome) };
  };
  return {
    cycleEnded(outcome: CycleOutcome, endedAt: Date): void {
      const { refused, organizations } = outcome;
      const isSuccess = isSuccessful(outcome);
      const works = isSuccess || (refused.length === 0 && organizations.some((one) => one.isSuccess));
      hasWorked ||= works;
      idle = works ? 0 : idle + 1;
      failures = isSuccess ? 0 : failures + 1;
      if (refused.length === 0) {
        known = new Map(
          organizations.map((one) => [
            one.organization,
            one.found ? one : (known.get(one.organization) ?? one),
          ]),
        );
      }
      if (!isSuccess) lastFailure = `${timeText(endedAt)}: ${reasonOf(outcome)}`;
      last = { outcome, endedAt };
      next = undefined;
      kept = undefined;
    },
    waitsUntil: (date: Date): void => {
      next = date;
    },
    /** True after the first cycle that worked for an organization, until three cycles in a row have worked for none. */
    isReady: (): boolean => hasWorked && idle < failuresUntilUnready,
    failures: (): number => failures,
    /** Rendered when it is first requested after a cycle: a large page takes more than a second, in which nothing else runs. */
    page: async (): Promise<Buffer | undefined> => {
      if (last) kept ??= render(report(last)).then((page) => Buffer.from(page));
      return kept;
    },
  };
}

function reasonOf({ refused, organizations }: CycleOutcome): string {
  const own = organizations.flatMap(({ errors, found }) => [...errors, ...(found?.entries ?? [])]);
  const found = [...refused, ...own].flatMap(({ diagnostics }) => diagnostics);
  const [first] = found.filter(({ severity }) => severity === 'error');
  const failed = organizations.filter(({ isSuccess }) => !isSuccess).map(({ organization }) => organization);
  return first?.message.replace(/\.$/, '') ?? `not every change of ${failed.join(', ')} was made`;
}

/** The last state of each root file with the reasons why it could not be read again, after the reasons of others. */
function entriesOf(
  known: ReadonlyMap<string, OrganizationOutcome>,
  { refused, organizations }: CycleOutcome,
): readonly ReportEntry[] {
  const failures = [...refused, ...organizations.flatMap(({ errors }) => errors)];
  const failing = organizations.filter(({ errors }) => errors.length > 0);
  const names = new Set(failing.map(({ organization }) => organization));
  const shown = [...known.values()].flatMap(({ organization, found }) => {
    if (found === undefined) return [];
    const hasFailed = refused.length > 0 || names.has(organization);
    const before = hasFailed ? ' The last cycle failed; this is the state before it.' : '';
    return found.entries.map((entry) => ({ ...entry, about: `Read at ${timeText(found.readAt)}.${before}` }));
  });
  const byFile = groupBy(failures, ({ file }) => file);
  const files = new Set(shown.map(({ file }) => file));
  return [
    ...failures.filter(({ file }) => !files.has(file)),
    ...shown.map((entry) => {
      const reasons = (byFile.get(entry.file) ?? []).flatMap(({ diagnostics }) => diagnostics);
      return { ...entry, diagnostics: [...reasons, ...entry.diagnostics] };
    }),
  ];
}

function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
