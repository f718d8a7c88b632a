import { type CycleOutcome, isSuccessful } from '../run/cycle/create-cycle.ts';
import type { Clock } from '../service/clock.ts';
import type { Health } from './health.ts';
import { type Log, logCycle } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { createWatchMessages } from './watch-messages.ts';

/*
 * A `watch` repeats cycles until a signal ends it. A cycle reads, compares and heals (run/cycle), and reports every error as a part
 * of its outcome. Each outcome goes to the log, the health, the metrics and the messages; then the schedule decides how long to
 * wait: an interval after a success, a growing part of it after failures.
 */

interface WatchOptions {
  readonly cycle: (number: number) => Promise<CycleOutcome>;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly date: () => Date;
  /** Once aborted, the running cycle ends early and no other starts. */
  readonly stop: AbortSignal;
  /** Registers a function that is called when a cycle is to start at once. */
  readonly onHangup: (start: () => void) => void;
  readonly once: boolean;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly messages: ReturnType<typeof createWatchMessages>;
}

export async function watch(options: WatchOptions): Promise<CycleOutcome | undefined> {
  const { clock, date, stop, log, health, metrics, schedule, once } = options;
  const alarm = createAlarm(options);
  let reason = 'start';
  let outcome: CycleOutcome | undefined;
  for (let cycle = 1; !stop.aborted; cycle += 1) {
    log('info', { event: 'cycle-started', cycle, reason });
    const began = clock.now();
    const ended = await options.cycle(cycle);
    logCycle(ended, { log, cycle, stop });
    // What a signal cut short is neither a success nor a failure.
    if (stop.aborted) break;
    outcome = ended;
    const seconds = (clock.now() - began) / 1000;
    health.cycleEnded(ended, date());
    metrics.cycleEnded(ended, { seconds, endedAt: date() });
    await options.messages(ended);
    const failures = health.failures();
    const wait = once ? waitInOnce(cycle, ended) : waitBeforeNext(schedule, failures, clock.random());
    if (wait !== undefined) health.waitsUntil(new Date(date().getTime() + wait));
    const isSuccess = isSuccessful(ended);
    log(isSuccess ? 'info' : 'error', {
      event: 'cycle-finished',
      cycle,
      result: isSuccess ? 'success' : 'failed',
      seconds: rounded(seconds),
      failures,
      next: wait && rounded(wait / 1000),
    });
    if (wait === undefined) break;
    const isRung = await alarm(wait);
    reason = isRung ? 'signal' : failures > 0 ? 'retry' : 'interval';
  }
  return outcome;
}

/** From the first cycle of `--once` to the one that applies its deletions. */
const waitForDeletions = 10_000;

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

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

interface Schedule {
  /** From the end of a cycle to the start of the next. */
  readonly interval: number;
  /** The share by which an interval varies: 0.1 for 10 percent. */
  readonly jitter: number;
}

const firstRetry = 10_000;

/**
 * How long to wait after a cycle. After failures the wait starts at 10 seconds and doubles with each, up to the interval, and
 * is shortened by up to half at random: several processes do not return to a service at the same time.
 */
export function waitBeforeNext({ interval, jitter }: Schedule, failures: number, random: number): number {
  if (failures === 0) return interval * (1 + jitter * (2 * random - 1));
  const backoff = Math.min(firstRetry * 2 ** (failures - 1), interval);
  return backoff * (0.5 + random / 2);
}
