import { CommanderError } from 'commander';
import { renderDiagnostics } from '../report/text/diagnostics-text.ts';
import { bareDocument, wantsJson } from './bare-document.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';
import { internalDiagnostic, stackOf } from './session/internal-error.ts';

/** Runs the command line and resolves with its exit code. Commands are loaded when they are called. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const exit = (exitCode: number) => {
    code = exitCode;
  };
  try {
    await createProgram({ io, exit }).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) return failInternally(error, argv, io);
    if (error.exitCode === 0) return 0;
    if (wantsJson(argv)) io.stdout.write(usageDocument(error));
    return 1;
  }
  return code;
}

function usageDocument({ message }: CommanderError): string {
  const [first = '', ...hints] = message.replace(/^error: /, '').split('\n');
  const hint = hints.length > 0 ? { hint: hints.join(' ') } : {};
  return bareDocument({ severity: 'error', code: 'usage', message: first, ...hint });
}

/**
 * Reports an error that no command has caught, and what was written to the service until then.
 *
 * @returns the exit code
 */
export function failInternally(error: unknown, argv: readonly string[], io: Io): number {
  const diagnostic = internalDiagnostic(error, io.run);
  if (wantsJson(argv) && !io.stdout.isUsed()) io.stdout.write(bareDocument(diagnostic));
  else io.stderr.write(renderDiagnostics([diagnostic]));
  if (argv.includes('--verbose')) io.stderr.write(stackOf(error));
  io.stderr.write(io.run.describeWrites?.('figures') ?? '');
  return 1;
}
