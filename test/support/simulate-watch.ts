import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/service/clock.ts';
import { attune, type Ran } from './attune.ts';
import { parseMetrics, type Samples } from './parse-metrics.ts';

/** A line of the log in JSON. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly event: string };

/** What a test sees, and may change, while `watch` waits for its next cycle. */
export interface Pause {
  /** The number of the cycle that has ended. */
  readonly cycle: number;
  /** Milliseconds since the start, on the clock of the simulation. */
  readonly time: number;
  /** The lines of the cycle. */
  readonly lines: readonly LogLine[];
  get(path: string, init?: RequestInit): Promise<Response>;
  /** The status of an endpoint. */
  status(path: string): Promise<number>;
  metrics(): Promise<Samples>;
  /** Sends SIGTERM. */
  stop(): void;
}

export interface SimulationOptions {
  readonly cwd: string;
  /** Flags, without `--listen`. */
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Called after each cycle; the simulation runs until it calls `stop`. */
  readonly between: (pause: Pause) => Promise<void> | void;
  /** Gets each line when it is written, during cycles too, and what sends the first signal and another one. */
  readonly onLine?: (line: LogLine, stop: () => void) => void;
}

export interface Simulated extends Ran {
  readonly lines: readonly LogLine[];
}

/** The time of day at which simulations start. */
const simulationStart = Date.UTC(2026, 0, 5);

/** Runs `attune watch` on a clock that jumps over every wait, so that a week takes the time of its requests. */
export async function simulateWatch(options: SimulationOptions): Promise<Simulated> {
  const { cwd, argv, env = { ATTUNE_TOKEN: 'test-token' }, between, onLine } = options;
  const stopping = new AbortController();
  const lines: LogLine[] = [];
  let fresh: LogLine[] = [];
  let now = 0;
  let url = '';
  /** An assertion of the test that failed during the run. */
  let failure: { readonly error: unknown } | undefined;
  /** The cycle that has ended: the next wait is the one between two cycles. */
  let ended: number | undefined;

  const clock: Clock = {
    now: () => now,
    random: () => 0.5,
    sleep: async (milliseconds, signal) => {
      const cycle = ended;
      ended = undefined;
      if (cycle !== undefined) {
        const pause = fresh;
        fresh = [];
        const get = (path: string, init?: RequestInit) => fetch(url + path, init);
        const paused: Pause = {
          cycle,
          time: now,
          lines: pause,
          get,
          status: async (path) => {
            const response = await get(path);
            await response.arrayBuffer();
            return response.status;
          },
          metrics: async () => parseMetrics(await (await get('/metrics')).text()),
          stop: () => stopping.abort(),
        };
        try {
          await between(paused);
        } catch (error) {
          failure = { error };
          stopping.abort();
        }
      }
      // A signal has ended the wait.
      if (signal?.aborted) throw signal.reason;
      now += milliseconds;
      await setImmediate();
    },
  };
  let rest = '';
  const ran = await attune(['watch', ...argv, '--listen', '127.0.0.1:0'], {
    cwd,
    env,
    clock,
    date: () => new Date(simulationStart + now),
    interrupts: {
      stop: stopping.signal,
      exitCode: () => (stopping.signal.aborted ? 143 : undefined),
      release: () => {},
    },
    onStderr: (text) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        // Only an error before the log begins is not in JSON.
        if (!part.startsWith('{')) continue;
        const line: LogLine = JSON.parse(part);
        lines.push(line);
        fresh.push(line);
        if (line.event === 'listening') url = String(line.url);
        if (line.event === 'cycle-finished') ended = Number(line.cycle);
        onLine?.(line, () => stopping.abort());
      }
    },
  });
  if (failure) throw failure.error;
  if (lines.length === 0) throw new Error(`watch did not start: ${ran.stderr}`);
  return { ...ran, lines };
}
