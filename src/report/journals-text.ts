import type { Action } from '../model/change.ts';
import { escapeControls } from './escape-controls.ts';
import type { Paint } from './paint.ts';

/** A journal in the journal folder of a root file. */
export interface ListedJournal {
  /** Relative to the working folder, with `/`. */
  readonly file: string;
  /** When its run began, in ISO 8601. */
  readonly at: string;
  readonly organization: string;
  /** Absent if the journal cannot be read. */
  readonly address?: string;
  /** The changes that took effect, or may have; absent if the journal cannot be read. */
  readonly changes?: Readonly<Record<Action, number>>;
  /** Whether every change of its plan is done. */
  readonly complete: boolean;
  /** Why the journal is not complete. */
  readonly reason?: string;
  /** The journal that its run undid. */
  readonly undoes?: string;
  /** The newest journal of a complete undo of it. */
  readonly undoneBy?: string;
  /** The command that undoes it; absent if it cannot be read. */
  readonly command?: string;
}

/** Two lines for each journal: what its run did, and the command that undoes it. */
export function journalsText(journals: readonly ListedJournal[], paint: Paint): string {
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

function facts({ changes, complete, reason, undoes, undoneBy }: ListedJournal): string {
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
