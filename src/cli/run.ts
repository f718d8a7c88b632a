import { CommanderError } from 'commander';
import { bareDocument, wantsJson } from './bare-document.ts';
import type { Io } from './io.ts';
import { createProgram } from './program.ts';

/** Runs the command line and resolves with its exit code. Commands are loaded when they are called. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const exit = (exitCode: number) => {
    code = exitCode;
  };
  try {
    await createProgram({ io, exit }).parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
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
