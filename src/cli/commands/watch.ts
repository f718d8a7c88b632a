import type { Diagnostic } from '../../model/diagnostic.ts';
import { plain } from '../../report/paint.ts';
import { renderReport } from '../../report/render-report.ts';
import { masked, type RunContext } from '../../run/context.ts';
import { createCycle, isSuccessful } from '../../run/cycle/create-cycle.ts';
import type { HealMode } from '../../run/cycle/heal.ts';
import { createHealth } from '../../watch/health.ts';
import { startListener } from '../../watch/listener.ts';
import { createLog, type Log } from '../../watch/log.ts';
import { createMeasuring, createMetrics } from '../../watch/metrics.ts';
import { watch } from '../../watch/watch.ts';
import { createWatchMessages } from '../../watch/watch-messages.ts';
import { defineCommand, rootFiles } from '../command.ts';
import {
  appFlag,
  defaultedFlag,
  journalFlags,
  parsedFlag,
  plainFlags,
  planningFlags,
  policyFlags,
  rootFlags,
  switchFlag,
} from '../flags.ts';
import { type Interrupts, stackOf } from '../io.ts';
import { runProgram, type Session } from '../session.ts';

const watchFlags = {
  interval: durationFlag('time between two cycles, such as 90s, 10m or 1h (default: 10m)'),
  jitter: parsedFlag(
    'percent',
    'share by which the interval varies at random (default: 10%)',
    'Allowed are percentages from 0% to 99%, such as 10%.',
    (text) => {
      const value = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]) / 100;
      return value >= 0 && value < 1 ? value : undefined;
    },
  ),
  heal: defaultedFlag<HealMode>('mode', 'changes that each cycle applies', ['none', 'update', 'all']),
  listen: parsedFlag(
    'host:port',
    'address of metrics, health and report (default: 127.0.0.1:8080)',
    'Allowed are a host and a port, such as 127.0.0.1:8080 or [::1]:8080.',
    (text) => {
      const [, ipv6, name = '', port = ''] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
      const host = ipv6 ?? name;
      return host !== '' && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined;
    },
  ),
  maxAge: durationFlag('read consumer lists, data retention and grants only this often'),
  once: switchFlag('run one cycle without a listener, and a second one if deletions wait for it'),
  noJournal: journalFlags.noJournal,
};

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
    const measuring = createMeasuring(onAttempt);
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
        messages: createWatchMessages(session, log, { kind: heal === 'none' ? 'drift' : 'apply', stop }),
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

/** In milliseconds. */
const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationFlag(description: string) {
  const allowed = 'Allowed are durations up to 24d with a unit, such as 30s, 10m, 1h or 1d.';
  return parsedFlag('duration', description, allowed, (text) => {
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
    const value = Number(amount) * (units[unit] ?? 0);
    // Node fires a timer with a longer delay at once.
    return value > 0 && value <= 24 * 86_400_000 ? value : undefined;
  });
}
