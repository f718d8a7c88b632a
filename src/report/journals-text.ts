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
  /** The changes that are done by action, and the others with a call by result; absent if the journal cannot be read. */
  readonly changes?: Readonly<Record<Action | 'partial' | 'failed', number>>;
  /** Whether every change of its plan is done. */
  readonly complete: boolean;
  /** Why the journal is not complete. */
  readonly reason?: string;
  /** The journal that its run undid. */
  readonly undoes?: string;
  /** Whether its run left changes of that journal as they are. */
  readonly undoesPart?: true;
  /** The newest journal of a complete undo of it. */
  readonly undoneBy?: string;
  /** The newest journal of an undo of a part of it, if none is complete. */
  readonly undoneInPartBy?: string;
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

function facts({ changes, complete, reason, ...others }: ListedJournal): string {
  const { undoes, undoesPart, undoneBy, undoneInPartBy } = others;
  const counts = changes && [
    `${changes.create} created, ${changes.update} updated, ${changes.delete} deleted`,
    ...(changes.partial > 0 ? [`${changes.partial} partial`] : []),
    ...(changes.failed > 0 ? [`${changes.failed} failed`] : []),
  ];
  return [
    ...(counts === undefined ? [] : [counts.join(', ')]),
    complete ? 'complete' : `incomplete: ${reason}`,
    ...(undoes === undefined ? [] : [`undo of ${undoesPart ? 'a part of ' : ''}${undoes}`]),
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
    ...(undoneInPartBy === undefined ? [] : [`undone in part by ${undoneInPartBy}`]),
  ].join('; ');
}
