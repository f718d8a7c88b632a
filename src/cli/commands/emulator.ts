import type { Command } from 'commander';
import { addEmulatorFlags } from '../flags.ts';
import { type CommandHost, withExamples } from './host.ts';

export function addEmulatorCommand(program: Command, { io, exit }: CommandHost): void {
  withExamples(
    addEmulatorFlags(program.command('emulator').description('serve the embedded service on loopback')),
    'attune emulator --seed seed.yaml',
    'attune emulator --port 8080 --data live.json',
  ).action(async (flags) => exit(await (await import('../emulator.ts')).emulator(flags, io)));
}
