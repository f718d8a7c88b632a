import { AttuneError } from '../../model/attune-error.ts';
import type { Io } from '../io.ts';

/** Stdout cannot be written, so that nobody sees the result. */
export class OutputError extends AttuneError {
  override readonly name = 'OutputError';
  override readonly code = 'output-not-written';

  constructor(cause: Error) {
    super(`stdout cannot be written: ${cause.message}`, {
      cause,
      hint: 'make room where stdout goes, or redirect it, and run again',
    });
  }
}

/** @throws {OutputError} if stdout has lost text. */
export async function requireStdout({ stdout }: Pick<Io, 'stdout'>): Promise<void> {
  const failure = await stdout.failure();
  if (failure) throw new OutputError(failure);
}
