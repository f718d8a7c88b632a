import type { Emulator, EmulatorOptions } from '../../src/emulator/index.ts';
import { ask, type Reply } from '../support/ask.ts';
import { serviceWith } from '../support/attune.ts';

/** A running service with a short way to ask it. Stops after the test. */
export interface Service {
  readonly emulator: Emulator;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export async function serve(options: EmulatorOptions = {}): Promise<Service> {
  const emulator = await serviceWith(options);
  return { emulator, ask: (...request) => ask(emulator, ...request) };
}
