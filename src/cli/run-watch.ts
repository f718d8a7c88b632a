import type { Diagnostic } from '../model/diagnostic.ts';
import { plain } from '../report/paint.ts';
import { renderReport } from '../report/render-report.ts';
import { masked, type RunContext } from '../run/context.ts';
import { createCycle } from '../run/cycle/create-cycle.ts';
import { isSuccessful } from '../run/cycle/outcome.ts';
import { startListener } from '../watch/listener.ts';
import { createLog, createWaitLog, type Log } from '../watch/log.ts';
import { createMeasuring, type Measuring, type MeasuringOptions } from '../watch/measuring.ts';
import { createMetrics } from '../watch/metrics.ts';
import { createStatus, latestPage } from '../watch/status.ts';
import { watch } from '../watch/watch.ts';
import { createWatchMessages } from '../watch/watch-messages.ts';
import type { FlagValues } from './flag.ts';
import type { plainFlags, planningFlags, watchFlags } from './flags.ts';
import type { Interrupts } from './interrupts.ts';
import { stackOf } from './io.ts';
import { runProgram, type Session } from './session.ts';

/** The signals of a `watch`, caught before anything is loaded that handles them. */
export interface WatchSignals {
  readonly interrupts: Interrupts;
  /** Called at SIGHUP. The first cycle has yet to begin before it is set. */
  onHangup: () => void;
  /** Gets the statement of what was written, before another signal ends the process. */
  onForcedEnd: (statement: string) => void;
}

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
  const { once = false } = flags;
  const log = openLog(flags, io, signals);
  const metrics = await createMetrics();
  const measuring = createMeasuring({
    onAttempt: (organization, attempt) => {
      metrics.request(organization, attempt);
      if (flags.verbose) logRequest(organization, attempt, log);
    },
    onWait: createWaitLog(log, io.clock.now),
  });
  const kind = heal === 'none' ? 'drift' : 'apply';
  const status = createStatus(kind);
  const page = latestPage(status, async (report) =>
    masked(await renderReport(report, 'html', { paint: plain }), session.secrets),
  );
  const listener = once ? undefined : await startListener(listen, { isReady: status.isReady, page, metrics });
  if (listener) log.write('info', { event: 'listening', url: listener.url });

  try {
    const outcome = await watch({
      cycle: createCycle(cycleContext(session, log, interrupts, measuring), {
        roots,
        heal,
        maxAge,
        stop,
        clientOf: measuring.clientOf,
      }),
      schedule: { interval, jitter },
      clock: io.clock,
      date: io.date,
      stop,
      onHangup: (begin) => {
        signals.onHangup = begin;
      },
      once,
      status,
      metrics,
      log,
      messages: await createWatchMessages(session, log, { kind, stop }),
    });
    if (!once) return 0;
    return interrupts.exitCode() ?? (outcome && isSuccessful(outcome) ? 0 : 1);
  } finally {
    await listener?.close();
    measuring.close();
    log.write('info', { event: 'stopped' });
  }
}

/** The log, which also gets what signals cause. */
function openLog({ quiet = false }: WatchFlags, io: Session['io'], signals: WatchSignals): Log {
  const log = createLog({ quiet, date: io.date, write: (line) => io.stderr.write(line) });
  signals.onForcedEnd = (statement) => {
    const messages = statement.split('\n').filter((line) => line !== '');
    for (const message of messages) log.write('warn', { event: 'message', message });
  };
  const { stop } = signals.interrupts;
  const stopping = () => log.write('info', { event: 'stopping' });
  if (stop.aborted) stopping();
  else stop.addEventListener('abort', stopping, { once: true });
  return log;
}

function logRequest(
  organization: string,
  { method, path, status, milliseconds }: Parameters<MeasuringOptions['onAttempt']>[1],
  log: Log,
): void {
  log.write('info', {
    event: 'request',
    organization,
    method,
    path,
    milliseconds: Math.round(milliseconds),
    ...(status !== undefined && { status }),
  });
}

/**
 * The context of the cycles: its messages go to the log, and it does not catch signals again. Diagnostics are part of the
 * outcome of a cycle, which is logged as a whole.
 */
function cycleContext(
  session: Session,
  log: Log,
  interrupts: Interrupts,
  { observe }: Pick<Measuring, 'observe'>,
): RunContext {
  const inform = (message: string) => log.write('info', { event: 'message', message: message.trimEnd() });
  const warn = ({ code, message }: Diagnostic) =>
    log.write('warn', { event: 'message', message: `[${code}] ${message}` });
  const io = { ...session.io, catchInterrupts: () => ({ ...interrupts, release: () => {} }) };
  return {
    ...session,
    runProgram: (command, env) => runProgram(command, env, io),
    console: {
      diagnostics: (found) => found.forEach(warn),
      inform,
      unknownError: (error) => {
        if (session.flags.verbose) inform(stackOf(error));
      },
    },
    progress: { begin: () => {}, step: () => {}, end: () => {}, observe },
  };
}
