import type { JournaledChange, RunJournal } from '../apply/journal/parse-journal.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { DeleteMode, Resource } from '../model/state.ts';
import { createdBack } from './created-back.ts';
import { deletedBack, isAnother } from './deleted-back.ts';
import { grantBack } from './grant-back.ts';
import { liveOf, type Touched } from './read-touched.ts';
import { updatedBack } from './updated-back.ts';

/**
 * The way back of a run is a desired state like any other: it names what the run changed, with the values from before,
 * and nothing else. What has moved on since is not in it, so that it is unmanaged and left alone. The plan is then made
 * of it as of any file.
 */
export interface WayBack {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface WayBackContext {
  readonly run: RunJournal;
  readonly touched: Touched;
  /** How workspaces that the run created are deleted. */
  readonly deleteMode: DeleteMode;
  /** What stands for a workspace of the former state in a list: its id, or its name where it is created again. */
  readonly nowCalled: (id: string) => string | undefined;
}

export function wayBack(run: RunJournal, touched: Touched, deleteMode: DeleteMode = 'safe'): WayBack {
  const changes = run.changes.filter(({ calls }) => calls.length > 0);
  const deleted = new Map(
    changes
      .filter(({ kind, action }) => kind === 'workspace' && action === 'delete')
      // What has the name of a deleted workspace by chance must not get what was shared with that.
      .filter((change) => !isAnother(change, liveOf(change, touched), touched))
      .map(({ id = '', before, name }) => [id, String(before.name ?? name)]),
  );
  const context: WayBackContext = {
    run,
    touched,
    deleteMode,
    nowCalled: (id) => (touched.names.has(id) ? id : deleted.get(id)),
  };
  const parts = changes.map((change) => oneBack(change, context));
  return {
    resources: parts.flatMap(({ resources }) => resources),
    diagnostics: [...cutOff(run), ...parts.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function oneBack(change: JournaledChange, context: WayBackContext): WayBack {
  if (change.kind === 'team-access') return grantBack(change, context);
  const live = liveOf(change, context.touched);
  switch (change.action) {
    case 'create':
      return createdBack(change, live, context);
    case 'update':
      return updatedBack(change, live, context);
    case 'delete':
      return deletedBack(change, live, context);
    default:
      return change.action satisfies never;
  }
}

function cutOff({ isWhole, organization }: RunJournal): Diagnostic[] {
  if (isWhole) return [];
  return [
    {
      severity: 'note',
      code: 'journal-cut-off',
      message: `the journal of ${organization} ends before its run did; what came of its last calls is read off the service`,
    },
  ];
}

/** Somebody has changed it since the run, so it is not the run's any more. */
export function conflict({ address }: { readonly address: string }, how: string, path?: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'undo-conflict',
    message: `${path === undefined ? address : `${path} of ${address}`} is left as it is: ${how}`,
    address,
    hint: 'somebody changed it since the run; look at it, and change it by hand where that is meant',
  };
}

/** What does not come back, whatever is done. */
export function lostForGood({ address }: { readonly address: string }, what: string): Diagnostic {
  return { severity: 'warning', code: 'not-undoable', message: `${address}: ${what}`, address };
}
