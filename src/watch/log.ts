import { endingOf } from '../model/apply-result.ts';
import { jsonLine } from '../report/escape-controls.ts';
import type { ReportEntry } from '../report/report.ts';
import type { CycleOutcome, FoundState } from '../run/cycle/create-cycle.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** One line of the log; docs/guides/watch.md lists all events and members. */
export interface LogEvent {
  readonly event: string;
  readonly [member: string]: unknown;
}

export type Log = (level: LogLevel, event: LogEvent) => void;

export function createLog(options: {
  readonly quiet?: boolean | undefined;
  readonly date: () => Date;
  readonly write: (line: string) => void;
}): Log {
  const { quiet = false, date, write } = options;
  return (level, event) => {
    if (!quiet || level !== 'info') write(jsonLine({ time: date().toISOString(), level, ...event }));
  };
}

/** Logs what a cycle found and did. */
export function logCycle(
  { refused, organizations }: CycleOutcome,
  { log, cycle, stop }: { readonly log: Log; readonly cycle: number; readonly stop: AbortSignal },
): void {
  const found = [
    ...diagnosticsOf(refused),
    ...organizations.flatMap((one) =>
      diagnosticsOf([...(one.found?.entries ?? []), ...one.errors], one.organization),
    ),
    ...organizations.flatMap((one) => (one.found ? findings(one.organization, one.found, stop) : [])),
  ];
  for (const [level, { event, ...members }] of found) log(level, { event, cycle, ...members });
}

type Line = readonly [LogLevel, LogEvent];

const levels = { error: 'error', warning: 'warn', note: 'info' } as const satisfies Record<string, LogLevel>;

function diagnosticsOf(entries: readonly ReportEntry[], organization?: string): readonly Line[] {
  return entries.flatMap(({ diagnostics, path }) =>
    diagnostics.map(({ severity, code, message, hint, address, location }): Line => {
      const place = location && { file: path(location.file), line: location.line };
      const event = { event: 'diagnostic', organization, code, message, hint, address, ...place };
      return [levels[severity], event];
    }),
  );
}

function findings(organization: string, found: FoundState, stop: AbortSignal): readonly Line[] {
  const { plans, held, waiting, applied } = found;
  const sum = (figure: (plan: FoundState['plans'][number]) => number | undefined) =>
    plans.reduce((total, plan) => total + (figure(plan) ?? 0), 0);
  const figures = ['create', 'update', 'delete', 'unchanged', 'held'] as const;
  const planned = {
    ...Object.fromEntries(figures.map((name) => [name, sum(({ summary }) => summary[name])])),
    undeclared: sum(({ unmanaged }) => unmanaged.length),
  };
  return [
    ['info', { event: 'planned', organization, ...planned }],
    ...held.flatMap(({ address, action, held: holds = [] }) =>
      holds.map((hold): Line => ['info', { event: 'held', organization, address, action, ...hold }]),
    ),
    ...waiting.map(({ address, action }): Line => {
      return ['info', { event: 'change', organization, address, action, result: 'waiting' }];
    }),
    ...applied.map((change): Line => {
      const { address, action, error } = change;
      const result = endingOf(change);
      // What was not attempted because of a signal is not an error.
      const isFine = result === 'done' || (result === 'skipped' && stop.aborted);
      const event = { event: 'change', organization, address, action, result, error: error?.message };
      return [isFine ? 'info' : 'error', event];
    }),
  ];
}
