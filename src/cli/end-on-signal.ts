import { bareDocument, wantsJson } from './bare-document.ts';
import type { Io } from './io.ts';
import { InterruptedError, signalCodes } from './session/interrupted-error.ts';

/**
 * What a signal does while no command catches it: what only reads has nothing to finish, so the process ends at once. Its
 * exit code is that of the signal for whoever started it, shell or not, and with `--format json` there is a document.
 */
export function endOnSignal(argv: readonly string[], io: Io): void {
  const end = (exitCode: number) => {
    const { code, message } = new InterruptedError(exitCode);
    if (io.stderr.isTerminal) io.stderr.write('\n');
    if (!wantsJson(argv)) io.stderr.write(`error[${code}]: ${message}\n`);
    else if (!io.stdout.isUsed()) io.stdout.write(bareDocument({ severity: 'error', code, message }));
    process.exit(exitCode);
  };
  for (const [signal, exitCode] of Object.entries(signalCodes)) {
    process.on(signal, () => {
      // A command that catches it has its own way to end.
      if (process.listenerCount(signal) === 1) end(exitCode);
    });
  }
}
