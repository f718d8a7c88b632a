#!/usr/bin/env node
import { processIo } from './io.ts';
import { run } from './run.ts';

// A reader that goes away early (`attune plan | head`) is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
  throw error;
});

process.exitCode = await run(process.argv.slice(2), processIo());
