import { plain } from '../../report/paint.ts';
import { renderReport } from '../../report/render-report.ts';
import { version } from '../../run/manifest.ts';
import type { ServiceEvent } from '../../service/attempt.ts';
import { isSuccessful } from '../../watch/cycle.ts';
import { startListener } from '../../watch/listener.ts';
import { createLog, createWaitLog, type Log } from '../../watch/log.ts';
import { createMeasuring } from '../../watch/measured-client.ts';
import { createMetrics } from '../../watch/metrics.ts';
import { latestPage } from '../../watch/page.ts';
import { createStatus } from '../../watch/status.ts';
import { loadTracing } from '../../watch/tracing.ts';
import { watch } from '../../watch/watch.ts';
import type { FlagValues } from '../flag.ts';
import type { plainFlags, planningFlags, watchFlags } from '../flags.ts';
import type { Session } from '../session.ts';
import { createCycle } from './cycle.ts';
import { watchSession } from './watch-session.ts';
import type { WatchSignals } from './watch-signals.ts';

type WatchFlags = FlagValues<typeof watchFlags & typeof plainFlags & typeof planningFlags>;

const defaults = { interval: 600_000, jitter: 0.1, listen: { host: '127.0.0.1', port: 8080 } };

/**
 * Reconciles until a signal ends it.
 *
 * @returns the exit code
 */
export async function runWatch(
  roots: readonly string[],
  flags: WatchFlags,
  session: Session,
  signals: WatchSignals,
): Promise<number> {
  const { io } = session;
  const { interrupts } = signals;
  const { stop } = interrupts;
  const { heal, maxAge, interval, jitter, listen } = { ...defaults, ...flags };
  const { once = false, noJournal = false, quiet = false, verbose = false } = flags;
  const log = createLog({
    format: flags.logFormat,
    quiet,
    date: io.date,
    write: (line) => io.stderr.write(line),
  });
  signals.onForcedEnd = (statement) => {
    const messages = statement.split('\n').filter((line) => line !== '');
    for (const message of messages) log.write('warn', { event: 'message', message });
  };
  const stopping = () => log.write('info', { event: 'stopping' });
  if (stop.aborted) stopping();
  else stop.addEventListener('abort', stopping, { once: true });
  const tracing = await loadTracing(version());
  const metrics = await createMetrics();
  const measuring = createMeasuring(tracing, {
    onAttempt: (organization, attempt) => {
      metrics.request(organization, attempt);
      if (verbose) log.write('info', requestEvent(organization, attempt));
    },
    onWait: createWaitLog(log, io.clock.now),
  });
  const status = createStatus(heal === 'none' ? 'drift' : 'apply');
  const page = latestPage(status, async (report) =>
    session.masked(await renderReport(report, 'html', { paint: plain })),
  );
  const listener = once ? undefined : await startListener(listen, { isReady: status.isReady, page, metrics });
  if (listener) log.write('info', { event: 'listening', url: listener.url });

  try {
    const outcome = await watch({
      cycle: createCycle(watchSession(session, { log, interrupts, observe: measuring.observe }), {
        ...{ roots, heal, maxAge, noJournal, stop, measuring, tracing },
      }),
      schedule: { interval, jitter },
      clock: io.clock,
      date: io.date,
      stop,
      onHangup: (begin) => {
        signals.onHangup = begin;
      },
      once,
      ...{ status, metrics, log, tracing },
    });
    if (!once) return 0;
    return interrupts.exitCode() ?? (outcome && isSuccessful(outcome) ? 0 : 1);
  } finally {
    await listener?.close();
    measuring.close();
    log.write('info', { event: 'stopped' });
  }
}

type Attempt = Extract<ServiceEvent, { type: 'attempt' }>;

function requestEvent(
  organization: string,
  { method, path, status, milliseconds }: Attempt,
): Parameters<Log['write']>[1] {
  return {
    ...{ event: 'request', organization, method, path, milliseconds: Math.round(milliseconds) },
    ...(status !== undefined && { status }),
  };
}
