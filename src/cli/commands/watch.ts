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
import type { Io } from '../io.ts';
import type { WatchSignals } from '../run-watch.ts';

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
    // A signal that comes while the rest is loaded has a handler, too: without one, SIGHUP ends the process.
    const signals = catchSignals(session.io);
    try {
      const { runWatch } = await import('../run-watch.ts');
      return await runWatch(files, flags, session, signals);
    } finally {
      signals.interrupts.release();
    }
  },
});

function catchSignals(io: Io): WatchSignals {
  const handlers: Pick<WatchSignals, 'onHangup' | 'onForcedEnd'> = {
    onHangup: () => {},
    onForcedEnd: (statement) => io.stderr.write(statement),
  };
  const interrupts = io.catchInterrupts({
    onHangup: () => handlers.onHangup(),
    onForcedEnd: (statement) => handlers.onForcedEnd(statement),
  });
  return Object.assign(handlers, { interrupts });
}
