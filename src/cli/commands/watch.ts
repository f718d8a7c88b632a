import type { Diagnostic } from '../../model/diagnostic.ts';
import { plain } from '../../report/paint.ts';
import { renderReport } from '../../report/render-report.ts';
import { masked, type RunContext } from '../../run/context.ts';
import { createCycle, isSuccessful } from '../../run/cycle/create-cycle.ts';
import { createHealth } from '../../watch/health.ts';
import { startListener } from '../../watch/listener.ts';
import { createLog, createWaitLog, type Log } from '../../watch/log.ts';
import { createMeasuring, createMetrics } from '../../watch/metrics.ts';
import { watch } from '../../watch/watch.ts';
import { createWatchMessages } from '../../watch/watch-messages.ts';
import { defineCommand } from '../command.ts';
import {
  appFlag,
  plainFlags,
  planningFlags,
  policyFlags,
  rootFiles,
  rootFlags,
  watchFlags,
} from '../flags.ts';
import { type Interrupts, stackOf } from '../io.ts';
import { runProgram, type Session } from '../session.ts';

const defaults = { interval: 600_000, jitter: 0.1, listen: { host: '127.0.0.1', port: 8080 } };

export default defineCommand({
  details:
    'Loads the configuration again in each cycle, compares it with the live state, and applies what --heal allows: nothing, updates without deletions and revoked grants, or the whole plan. A cycle that fails is reported and retried. Serves /metrics, /healthz, /readyz and the latest report at /. SIGHUP starts a cycle at once; SIGTERM and SIGINT end the process after running calls. With --once, a failed last cycle is exit code 1.',
  arguments: rootFiles,
  flags: { ...appFlag, ...rootFlags, ...policyFlags, ...plainFlags, ...planningFlags, ...watchFlags },
  examples: [
    'attune watch --interval 5m --heal update',
    'attune watch teams/network teams/data --max-age 1h',
    'attune watch --once --heal all',
  ],
  learnMore: 'docs/guides/watch.md',
  run: async ({ files }, flags, session) => {
    const { io, secrets } = session;
    const { clock, date } = io;
    const {
      heal,
      maxAge,
      interval,
      jitter,
      listen,
      once = false,
      quiet,
      verbose,
    } = { ...defaults, ...flags };
    const log = createLog({ quiet, date, write: (line) => io.stderr.write(line) });
    let hangUp = () => {};
    const interrupts = io.catchInterrupts({
      // The first cycle has yet to begin before it is set.
      onHangup: () => hangUp(),
      onForcedEnd: (statement) => {
        for (const message of statement.split('\n').filter(Boolean))
          log('warn', { event: 'message', message });
      },
    });
    const { stop } = interrupts;
    const stopping = () => log('info', { event: 'stopping' });
    if (stop.aborted) stopping();
    else stop.addEventListener('abort', stopping, { once: true });
    const metrics = await createMetrics();
    const onAttempt: Parameters<typeof createMeasuring>[0] = (organization, attempt) => {
      metrics.request(organization, attempt);
      const { method, path, status, milliseconds } = attempt;
      const members = { organization, method, path, status, milliseconds: Math.round(milliseconds) };
      if (verbose) log('info', { event: 'request', ...members });
    };
    const measuring = createMeasuring(onAttempt, createWaitLog(log, clock.now));
    const health = createHealth({
      heal,
      interval,
      render: async (report) => masked(await renderReport(report, 'html', { paint: plain }), secrets),
    });
    const context = cycleContext(session, log, interrupts, measuring);
    let listener: Awaited<ReturnType<typeof startListener>> | undefined;
    let hasBegun = false;
    try {
      listener = once ? undefined : await startListener(listen, { ...health, metrics });
      if (listener) log('info', { event: 'listening', url: listener.url });
      hasBegun = true;
      const { clientOf } = measuring;
      const outcome = await watch({
        cycle: createCycle(context, { roots: files, heal, maxAge, stop, clientOf }),
        schedule: { interval, jitter },
        clock,
        date,
        stop,
        onHangup: (begin) => {
          hangUp = begin;
        },
        once,
        health,
        metrics,
        log,
        messages: await createWatchMessages(session, log, {
          kind: heal === 'none' ? 'drift' : 'apply',
          stop,
        }),
      });
      if (!once) return 0;
      return interrupts.exitCode() ?? (outcome && isSuccessful(outcome) ? 0 : 1);
    } finally {
      await listener?.close();
      measuring.close();
      if (hasBegun) log('info', { event: 'stopped' });
      interrupts.release();
    }
  },
});

/**
 * The context of the cycles: its messages go to the log, and it does not catch signals again. Diagnostics are part of the
 * outcome of a cycle, which is logged as a whole.
 */
function cycleContext(
  session: Session,
  log: Log,
  interrupts: Interrupts,
  { observe }: Pick<ReturnType<typeof createMeasuring>, 'observe'>,
): RunContext {
  const inform = (message: string) => log('info', { event: 'message', message: message.trimEnd() });
  const warn = ({ code, message }: Diagnostic) =>
    log('warn', { event: 'message', message: `[${code}] ${message}` });
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
