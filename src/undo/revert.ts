import type { JournaledChange, RunJournal } from '../apply/journal/parse-journal.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { DeleteMode, Resource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { Touched } from './read-touched.ts';

/**
 * The desired resources that revert a change. They hold the values from before the run. A value that changed since
 * the run is omitted, so that it is unmanaged.
 */
export interface Reverted {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

export const nothingToRevert: Reverted = { resources: [], diagnostics: [] };

export interface RevertContext {
  readonly run: RunJournal;
  readonly touched: Touched;
  /** How workspaces that the run created are deleted. */
  readonly deleteMode: DeleteMode;
  /** The entry of a consumer list for a workspace of the former state: its id, or its name if it is created again. */
  readonly nowCalled: (id: string) => string | undefined;
}

/** A value that is not reverted because it changed since the run. */
export function undoConflict(
  { address }: Pick<JournaledChange, 'address'>,
  how: string,
  path?: string,
): Diagnostic {
  return {
    severity: 'warning',
    code: 'undo-conflict',
    message: `${path === undefined ? address : `${path} of ${address}`} is not reverted: ${how}`,
    address,
    hint: 'check the value, and change it manually if needed: it changed after the run',
  };
}

/** Why a workspace cannot be put back into its former project; undefined if it can. */
export function lostProject(
  project: Value | undefined,
  { touched: { projects } }: Pick<RevertContext, 'touched'>,
): string | undefined {
  if (typeof project !== 'string' || !projects.isGone(project)) return undefined;
  return `its former project ${project} was deleted, or this token may not see it`;
}

/** A value that cannot be restored. */
export function notUndoable({ address }: Pick<JournaledChange, 'address'>, what: string): Diagnostic {
  return { severity: 'warning', code: 'not-undoable', message: `${address}: ${what}`, address };
}
