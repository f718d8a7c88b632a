import { AttuneError } from '../../model/attune-error.ts';
import type { ReportEntry } from '../../report/report.ts';

/** A run ends before it has a result, with reasons that have places in files. */
export class RefusedError extends AttuneError {
  override readonly name = 'RefusedError';
  override readonly code = 'invalid';
  readonly entries: readonly ReportEntry[];

  constructor(entries: readonly ReportEntry[]) {
    super(entries.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)).join('\n'));
    this.entries = entries;
  }
}
