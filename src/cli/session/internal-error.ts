import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Io } from '../io.ts';
import { version } from '../version.ts';

/** An error that Attune does not know: a defect of Attune, or of the machine that it runs on. */
export function internalDiagnostic(error: unknown, { command = 'attune' }: Io['run']): Diagnostic {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    severity: 'error',
    code: 'internal',
    message: `${command} failed in Attune ${version()}: ${why}`,
    hint: 'report it in the issue tracker of Attune, with this message and the stack that --verbose prints',
  };
}

export function stackOf(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined;
  return `${stack ?? String(error)}\n`;
}
