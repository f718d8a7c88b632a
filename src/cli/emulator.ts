import { resolve } from 'node:path';
import type { EmulatorOptions } from '../emulator/index.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { runSession } from './session/run-session.ts';

export interface EmulatorFlags
  extends Pick<EmulatorOptions, 'organization' | 'dialect' | 'edition' | 'port' | 'latency' | 'rate'> {
  readonly data?: string;
  readonly seed?: string;
  readonly faults?: string;
  readonly log?: string;
  readonly color: CommonFlags['color'];
}

/** Serves the embedded service until a signal ends it. */
export function emulator({ color, ...options }: EmulatorFlags, io: Io): Promise<number> {
  return runSession(io, { format: 'text', color }, 'plan', async () => {
    const interrupts = io.catchInterrupts();
    try {
      const { startEmulator } = await import('../emulator/index.ts');
      const files = (['data', 'seed', 'faults', 'log'] as const).flatMap((name) => {
        const file = options[name];
        return file === undefined ? [] : [[name, resolve(io.cwd, file)] as const];
      });
      const service = await startEmulator({ ...options, ...Object.fromEntries(files) });
      io.stdout.write(`LISTENING ${service.url}\n`);
      if (!interrupts.stop.aborted) {
        await new Promise((stopped) => interrupts.stop.addEventListener('abort', stopped, { once: true }));
      }
      await service.stop();
      return interrupts.exitCode() ?? 0;
    } finally {
      interrupts.release();
    }
  });
}
