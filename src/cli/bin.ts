#!/usr/bin/env node
import { endOnSignal } from './end-on-signal.ts';
import { processIo } from './io.ts';
import { run } from './run.ts';

// A reader that goes away early (`attune plan | head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  throw error;
});

const argv = process.argv.slice(2);
process.exitCode = await run(argv, endOnSignal(argv, processIo()));
