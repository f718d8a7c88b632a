#!/usr/bin/env node
import { signalCodes } from './interrupts.ts';
import { processIo } from './io.ts';
import { bareDocument, failInternally, run, wantsJson } from './run.ts';
import { InterruptedError } from './run-errors.ts';

const argv = process.argv.slice(2);
const io = processIo();
for (const [signal, exitCode] of Object.entries(signalCodes)) {
  process.on(signal, () => {
    // A command that catches the signal ends the run itself.
    if (process.listenerCount(signal) === 1) endAtOnce(exitCode);
  });
}
process.on('uncaughtException', (error) => process.exit(failInternally(error, argv, io)));
// An executable contains CommonJS, which has no `await` here.
run(argv, io).then((code) => {
  process.exitCode = code;
});

/** A command that only reads has nothing to finish. */
function endAtOnce(exitCode: number): void {
  const { code, message } = new InterruptedError(exitCode);
  if (io.stderr.isTerminal) io.stderr.write('\n');
  if (!wantsJson(argv)) io.stderr.write(`error[${code}]: ${message}\n`);
  else if (!io.stdout.isUsed()) io.stdout.write(bareDocument({ severity: 'error', code, message }));
  process.exit(exitCode);
}
