import { groupBy } from '../model/value.ts';
import type { Report, ReportEntry, ReportKind } from '../report/report.ts';
import { type CycleOutcome, isSuccessful, type OrganizationOutcome } from '../run/cycle/outcome.ts';

/** What a `watch` has found so far, for its endpoints. */
export interface Status {
  /** Gets the outcome of each cycle. */
  cycleEnded(outcome: CycleOutcome, endedAt: Date): void;
  /** True after the first cycle that worked for an organization, until three cycles in a row have worked for none. */
  isReady(): boolean;
  /** The number of failed cycles in a row. */
  failures(): number;
  /** The organizations of the last valid configuration. */
  organizations(): readonly string[];
  /** The report of the last cycle, always the same object; `undefined` before the end of the first cycle. */
  report(): Report | undefined;
}

const failuresUntilUnready = 3;

/** @param kind The kind of its reports. */
export function createStatus(kind: ReportKind): Status {
  let hasWorked = false;
  let failures = 0;
  /** Cycles in a row that worked for no organization: one bad token among several does not count. */
  let idle = 0;
  let latest: Report | undefined;
  let organizations: readonly string[] = [];
  /** The last outcome of each organization that has a plan. */
  let known = new Map<string, OrganizationOutcome>();

  return {
    cycleEnded(outcome, endedAt) {
      const isSuccess = isSuccessful(outcome);
      const works =
        isSuccess || (outcome.refused.length === 0 && outcome.organizations.some((one) => one.isSuccess));
      hasWorked ||= works;
      idle = works ? 0 : idle + 1;
      failures = isSuccess ? 0 : failures + 1;
      if (outcome.refused.length === 0) {
        organizations = outcome.organizations.map(({ organization }) => organization);
        known = new Map(
          outcome.organizations.flatMap((one) => {
            const shown = one.found ? one : known.get(one.organization);
            return shown ? [[one.organization, shown] as const] : [];
          }),
        );
      }
      latest = reportOf(kind, known, outcome, endedAt);
    },
    isReady: () => hasWorked && idle < failuresUntilUnready,
    failures: () => failures,
    organizations: () => organizations,
    report: () => latest,
  };
}

function reportOf(
  kind: ReportKind,
  known: ReadonlyMap<string, OrganizationOutcome>,
  outcome: CycleOutcome,
  endedAt: Date,
): Report {
  const failed = new Map(outcome.organizations.map((one) => [one.organization, one.errors]));
  const names = [...new Set([...known.keys(), ...failed.keys()])].sort();
  const shown = names.flatMap((name) => {
    const state = known.get(name);
    const hasFailed = outcome.refused.length > 0 || (failed.get(name) ?? []).length > 0;
    return state ? foundEntries(state, { endedAt, hasFailed }) : [];
  });
  const failures = [...outcome.refused, ...names.flatMap((name) => failed.get(name) ?? [])];
  return { kind, entries: withFailures(shown, failures) };
}

/** The last state of each root file with the reasons why it could not be read again, after the reasons of others. */
function withFailures(
  shown: readonly ReportEntry[],
  failures: readonly ReportEntry[],
): readonly ReportEntry[] {
  const byFile = groupBy(failures, ({ file }) => file);
  const files = new Set(shown.map(({ file }) => file));
  return [
    ...failures.filter(({ file }) => file === undefined || !files.has(file)),
    ...shown.map((entry) => {
      const reasons = entry.file === undefined ? [] : (byFile.get(entry.file) ?? []);
      const found = reasons.flatMap(({ diagnostics }) => diagnostics);
      return found.length === 0 ? entry : { ...entry, diagnostics: [...found, ...entry.diagnostics] };
    }),
  ];
}

interface ShownCycle {
  readonly endedAt: Date;
  /** Whether the cycle failed to read the organization again. */
  readonly hasFailed: boolean;
}

/** The entries of an organization, with the times of what they show. */
function foundEntries(
  { found, oldestReadAge }: OrganizationOutcome,
  { endedAt, hasFailed }: ShownCycle,
): readonly ReportEntry[] {
  if (found === undefined) return [];
  const { entries, readAt } = found;
  const oldest = new Date(endedAt.getTime() - oldestReadAge());
  const sentences = [
    `Read at ${timeText(readAt)}.`,
    // Without --max-age, everything is read in each cycle.
    ...(oldest.getTime() + 1000 < readAt.getTime()
      ? [`The oldest consumer list, grant or retention was read at ${timeText(oldest)}.`]
      : []),
    ...(hasFailed ? [`The last cycle failed at ${timeText(endedAt)}; this is the state before it.`] : []),
  ];
  return entries.map((entry) => ({ ...entry, about: sentences.join(' ') }));
}

function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/**
 * The page of the latest report. It is rendered when it is first requested after a cycle, and then kept: a large one takes
 * more than a second, in which the process does nothing else.
 */
export function latestPage(
  { report }: Pick<Status, 'report'>,
  render: (report: Report) => Promise<string>,
): () => Promise<Buffer | undefined> {
  let kept: { readonly report: Report; readonly page: Promise<Buffer> } | undefined;
  return async () => {
    const latest = report();
    if (latest === undefined) return undefined;
    if (kept?.report !== latest)
      kept = { report: latest, page: render(latest).then((page) => Buffer.from(page)) };
    return kept.page;
  };
}
