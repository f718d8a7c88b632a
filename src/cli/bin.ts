#!/usr/bin/env node
import { endOnSignal } from './end-on-signal.ts';
import { processIo } from './io.ts';
import { failInternally, run } from './run.ts';

const argv = process.argv.slice(2);
const io = processIo();
endOnSignal(argv, io);
process.on('uncaughtException', (error) => process.exit(failInternally(error, argv, io)));
process.exitCode = await run(argv, io);
