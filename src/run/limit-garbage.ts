import { setFlagsFromString } from 'node:v8';
import type { RunContext } from './context.ts';

/** From this number of root files on, memory matters more than the time that V8 takes to collect garbage. */
const manyRoots = 8;

/**
 * Makes V8 collect garbage before it takes several times the memory of the data, which it does in a run over many root
 * files. Loading keeps most of what it makes. Responses of the service are large and are kept in part: reading would
 * leave gaps between the data, which V8 closes when it optimizes for size. Planning is shorter without that.
 */
export function limitGarbage({ io }: RunContext, roots: number, phase: keyof typeof flags): void {
  // In a program that uses the library, the process is the user's.
  if (io.run.command === undefined || roots < manyRoots) return;
  for (const flag of flags[phase]) setFlagsFromString(flag);
}

/** The percentage is that of garbage to data. */
const flags = {
  loading: ['--heap-growing-percent=100'],
  reading: ['--heap-growing-percent=20', '--optimize-for-size'],
  planning: ['--no-optimize-for-size'],
} as const;
