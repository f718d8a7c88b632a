import { escapeControls } from './escape-controls.ts';
import type { Paint } from './paint.ts';

/** A journal as a list shows it. */
export interface JournalLine {
  readonly file: string;
  readonly at: string;
  readonly organization: string;
  readonly changes?: { readonly create: number; readonly update: number; readonly delete: number };
  readonly complete: boolean;
  readonly reason?: string;
  readonly undoes?: string;
  readonly undoneBy?: string;
  readonly command?: string;
}

/** Two lines for each journal: what its run did, and the command that undoes it. */
export function journalsText(journals: readonly JournalLine[], paint: Paint): string {
  const widest = Math.max(0, ...journals.map(({ organization }) => organization.length));
  return journals
    .map((journal) => {
      const { at, organization, command, file } = journal;
      const time = at.replace(/\.\d+Z$/, 'Z');
      const heading = `${paint('bold', time)}  ${escapeControls(organization).padEnd(widest)}  ${escapeControls(facts(journal))}`;
      return `${heading}\n  ${escapeControls(command ?? file)}\n`;
    })
    .join('');
}

function facts({ changes, complete, reason, undoes, undoneBy }: JournalLine): string {
  const words = { create: 'created', update: 'updated', delete: 'deleted' } as const;
  const counts =
    changes &&
    Object.entries(words)
      .map(([action, word]) => `${changes[action as keyof typeof words]} ${word}`)
      .join(', ');
  return [
    ...(counts === undefined ? [] : [counts]),
    complete ? 'complete' : `incomplete: ${reason}`,
    ...(undoes === undefined ? [] : [`undo of ${undoes}`]),
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
  ].join('; ');
}
