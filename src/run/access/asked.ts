import type { AccessQuestion, AccessResult } from '../../model/access-result.ts';
import type { RunContext } from '../context.ts';
import type { AccessFiles } from './access-files.ts';
import type { AccessReader } from './open-reader.ts';

/** A question with the files, and where the live state is read. */
export interface Asked {
  readonly question: AccessQuestion;
  readonly declared: boolean;
  readonly files: AccessFiles;
  readonly reader: AccessReader;
  readonly context: RunContext;
}

/** What to do about something that the files declare and the live state does not have. */
export function notLive({ named }: Pick<RunContext, 'named'>): string {
  return `it does not exist, or this token may not see it; add ${named('declared')} for the state after the plan`;
}

export type Answered = Pick<AccessResult, 'rows' | 'diagnostics'>;
