import { endingOf } from '../model/apply-result.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import type { ReportEntry } from '../report/report.ts';
import { type CycleOutcome, type FoundState, isSuccessful } from '../run/cycle/outcome.ts';
import type { Clock } from '../service/clock.ts';
import type { CycleReason, Log, LogLevel } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Status } from './status.ts';
import type { WatchMessages } from './watch-messages.ts';

export interface WatchOptions {
  /** Reads, compares and heals. It reports every error as a part of its outcome. */
  readonly cycle: (number: number) => Promise<CycleOutcome>;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly date: () => Date;
  /** Once aborted, the running cycle ends early and no other starts. */
  readonly stop: AbortSignal;
  /** Registers a function that is called when a cycle is to start at once. */
  readonly onHangup: (start: () => void) => void;
  /** Ends after one cycle. */
  readonly once: boolean;
  readonly status: Status;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Sends messages about each outcome. */
  readonly messages: WatchMessages;
}

/**
 * Runs cycles until it is stopped. A failed cycle is followed by another.
 *
 * @returns the last complete outcome
 */
export async function watch(options: WatchOptions): Promise<CycleOutcome | undefined> {
  const { clock, stop, log, status, schedule } = options;
  const alarm = createAlarm(options);
  const report = createReporting(log, stop);
  let reason: CycleReason = 'start';
  let outcome: CycleOutcome | undefined;
  for (let cycle = 1; !stop.aborted; cycle += 1) {
    log.write('info', { event: 'cycle-started', cycle, reason });
    const began = clock.now();
    const ended = await options.cycle(cycle);
    report(cycle, ended);
    // What a signal cut short is neither a success nor a failure.
    if (stop.aborted) break;
    outcome = ended;
    const seconds = (clock.now() - began) / 1000;
    record(outcome, seconds, options);
    await options.messages(outcome);
    const failures = status.failures();
    const wait = options.once
      ? waitInOnce(cycle, outcome)
      : waitBeforeNext(schedule, failures, clock.random());
    const isSuccess = isSuccessful(outcome);
    log.write(isSuccess ? 'info' : 'error', {
      event: 'cycle-finished',
      cycle,
      result: isSuccess ? 'success' : 'failed',
      seconds: rounded(seconds),
      failures,
      ...(wait !== undefined && { next: rounded(wait / 1000) }),
    });
    if (wait === undefined) break;
    const isRung = await alarm(wait);
    reason = isRung ? 'signal' : failures > 0 ? 'retry' : 'interval';
  }
  return outcome;
}

/** `--once` has a second cycle only for deletions that wait for it. */
function waitInOnce(cycle: number, { organizations }: CycleOutcome): number | undefined {
  const isWaiting = organizations.some(({ found }) => found !== undefined && found.waiting.length > 0);
  return cycle === 1 && isWaiting ? waitForDeletions : undefined;
}

/** Waits; true if a cycle is to start at once. A request during a cycle counts for the wait after it. */
function createAlarm({ clock, stop, onHangup }: WatchOptions): (milliseconds: number) => Promise<boolean> {
  let isRung = false;
  let wake = () => {};
  onHangup(() => {
    isRung = true;
    wake();
  });
  stop.addEventListener('abort', () => wake(), { once: true });
  return async (milliseconds) => {
    if (!isRung && !stop.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      await clock.sleep(milliseconds, woken.signal).catch((error: unknown) => {
        if (!woken.signal.aborted) throw error;
      });
      wake = () => {};
    }
    const was = isRung;
    isRung = false;
    return was;
  };
}

function record(outcome: CycleOutcome, seconds: number, { status, metrics, date }: WatchOptions): void {
  const endedAt = date();
  const known = status.organizations();
  status.cycleEnded(outcome, endedAt);
  const refused = known.length > 0 ? known : [''];
  metrics.cycleEnded({
    seconds,
    endedAt: endedAt.getTime() / 1000,
    organizations: outcome.organizations,
    refused: outcome.refused.length > 0 ? refused : [],
  });
}

const levels = { error: 'error', warning: 'warn', note: 'info' } as const satisfies Record<string, LogLevel>;

/** Logs each error of each cycle. A warning, a note or a hold that the cycle before had, too, is not repeated. */
function createReporting(log: Log, stop: AbortSignal): (cycle: number, outcome: CycleOutcome) => void {
  let before: ReadonlySet<string> = new Set();
  const heldBefore = new Map<string, ReadonlySet<string>>();
  return (cycle, outcome) => {
    const seen = new Set<string>();
    for (const { organization, entry, diagnostic } of diagnosticsOf(outcome)) {
      const { severity, code, message, hint, address, location } = diagnostic;
      const key = JSON.stringify([organization, code, message, location]);
      if (seen.has(key)) continue;
      seen.add(key);
      if (severity !== 'error' && before.has(key)) continue;
      log.write(levels[severity], {
        event: 'diagnostic',
        cycle,
        ...(organization !== undefined && { organization }),
        code,
        message,
        ...(hint !== undefined && { hint }),
        ...(address !== undefined && { address }),
        ...(location && { file: entry.path(location.file), line: location.line }),
      });
    }
    before = seen;
    for (const { organization, found } of outcome.organizations) {
      if (found === undefined) continue;
      const known = heldBefore.get(organization);
      heldBefore.set(organization, logFound({ cycle, organization }, found, { log, stop, known }));
    }
  };
}

interface Logging {
  readonly log: Log;
  readonly stop: AbortSignal;
  /** The holds that the cycle before has logged. */
  readonly known: ReadonlySet<string> | undefined;
}

/** @returns the holds */
function logFound(
  about: { readonly cycle: number; readonly organization: string },
  { plans, held, waiting, applied }: FoundState,
  { log, stop, known }: Logging,
): ReadonlySet<string> {
  log.write('info', { event: 'planned', ...about, ...figuresOf(plans) });
  const holds = heldEvents(held);
  for (const [key, one] of holds)
    if (!known?.has(key)) log.write('info', { event: 'held', ...about, ...one });
  for (const { address, action } of waiting)
    log.write('info', { event: 'change', ...about, address, action, result: 'waiting' });
  for (const change of applied) {
    const { address, action, error } = change;
    const result = endingOf(change);
    // What was not attempted because of a signal is not an error.
    const isFine = result === 'done' || (result === 'skipped' && stop.aborted);
    const why = error && { error: error.message };
    log.write(isFine ? 'info' : 'error', { event: 'change', ...about, address, action, result, ...why });
  }
  return new Set(holds.keys());
}

/** All diagnostics of an outcome, with the organization they are about. */
function diagnosticsOf({ refused, organizations }: CycleOutcome): readonly {
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

/** One event for each hold of each change, by what makes it another one. */
function heldEvents(changes: readonly PlannedChange[]) {
  const events = changes.flatMap(({ address, action, held = [] }) =>
    held.map((hold) => ({ address, action, ...hold })),
  );
  return new Map(events.map((event) => [JSON.stringify(event), event]));
}

function figuresOf(plans: readonly Plan[]) {
  const sum = (figure: (plan: Plan) => number) => plans.reduce((total, plan) => total + figure(plan), 0);
  return {
    create: sum(({ summary }) => summary.create),
    update: sum(({ summary }) => summary.update),
    delete: sum(({ summary }) => summary.delete),
    unchanged: sum(({ summary }) => summary.unchanged),
    held: sum(({ summary }) => summary.held ?? 0),
    undeclared: sum(({ unmanaged }) => unmanaged.length),
  };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** When cycles start. Durations are in milliseconds. */
export interface Schedule {
  /** From the end of a cycle to the start of the next. */
  readonly interval: number;
  /** The share by which an interval varies: 0.1 for 10 percent. */
  readonly jitter: number;
}

const firstRetry = 10_000;

/** From the first cycle of `--once` to the one that applies its deletions. */
const waitForDeletions = 10_000;

/**
 * How long to wait after a cycle. After failures the wait starts at 10 seconds and doubles with each, up to the interval,
 * and is shortened by up to half at random: several processes do not return to a service at the same time.
 *
 * @param failures The number of cycles in a row that failed, the last one included.
 * @param random From 0 up to 1.
 */
export function waitBeforeNext({ interval, jitter }: Schedule, failures: number, random: number): number {
  if (failures === 0) return interval * (1 + jitter * (2 * random - 1));
  const backoff = Math.min(firstRetry * 2 ** (failures - 1), interval);
  return backoff * (0.5 + random / 2);
}
