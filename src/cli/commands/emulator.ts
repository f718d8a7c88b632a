import { resolve } from 'node:path';
import { dialects } from '../../model/dialect.ts';
import { defineCommand } from '../command.ts';
import { choiceFlag, positiveFlag, textFlag, wholeNumberFlag } from '../flag.ts';
import { plainFlags } from '../flags.ts';

export const emulator = defineCommand({
  name: 'emulator',
  description: 'serve the embedded service on loopback',
  arguments: {},
  flags: {
    port: wholeNumberFlag('n', 'the port (default: a free one)', 0),
    data: textFlag('file', 'keep what is written in this file (default: in memory only)'),
    seed: textFlag('file', 'what there is at the start, while there is no data yet'),
    organization: textFlag('name', "the organization (default: the seed's, else acme)"),
    dialect: choiceFlag('dialect', 'the names on the wire (default: iac)', dialects),
    edition: choiceFlag('edition', 'which offering (default: see docs/guides/emulator.md)', [
      'hosted',
      'self-hosted',
    ]),
    latency: positiveFlag('ms', 'milliseconds added to each request'),
    rate: wholeNumberFlag('n', 'requests per second and caller; more are answered with 429', 1),
    faults: textFlag('file', 'what shall go wrong, and when'),
    log: textFlag('file', 'each request as a line of JSON'),
    color: plainFlags.color,
  },
  examples: ['attune emulator --seed seed.yaml', 'attune emulator --port 8080 --data live.json'],
  /** Serves until a signal ends it. */
  run: async (_args, { color: _color, data, seed, faults, log, ...options }, { io }) => {
    const interrupts = io.catchInterrupts();
    try {
      const { startEmulator } = await import('../../emulator/index.ts');
      const files = Object.entries({ data, seed, faults, log }).flatMap(([name, file]) =>
        file === undefined ? [] : [[name, resolve(io.cwd, file)] as const],
      );
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
  },
});
