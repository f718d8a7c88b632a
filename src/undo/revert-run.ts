import type { JournaledChange, RunJournal } from '../apply/journal/parse-journal.ts';
import { changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { DeleteMode, ResourceKind } from '../model/state.ts';
import { liveOf, type Touched } from './read-touched.ts';
import type { RevertContext, Reverted } from './revert.ts';
import { revertCreate } from './revert-create.ts';
import { isAnother, revertDelete } from './revert-delete.ts';
import { revertGrant } from './revert-grant.ts';
import { revertProject } from './revert-project.ts';
import { revertUpdate } from './revert-update.ts';

/** How a change of each kind is reverted. */
const reverts: Readonly<Record<ResourceKind, (change: JournaledChange, context: RevertContext) => Reverted>> =
  {
    project: revertProject,
    workspace: (change, context) => {
      const revert = { create: revertCreate, update: revertUpdate, delete: revertDelete }[change.action];
      return revert(change, liveOf(change, context.touched), context);
    },
    'team-access': revertGrant,
  };

/** The desired state that reverts a run. It is planned like any configuration. */
export function revertRun(run: RunJournal, touched: Touched, deleteMode: DeleteMode = 'safe'): Reverted {
  const { changes } = touched;
  const deleted = new Map(
    changesOf(changes, 'workspace')
      .filter(({ action }) => action === 'delete')
      // A new workspace with the name of a deleted one must not get its access to state.
      .filter((change) => !isAnother(change, liveOf(change, touched), touched))
      .map(({ id = '', before, name }) => [id, String(before.name ?? name)]),
  );
  const context: RevertContext = {
    run,
    touched,
    deleteMode,
    nowCalled: (id) => (touched.names.has(id) ? id : deleted.get(id)),
  };
  const parts = changes.map((change) => reverts[change.kind](change, context));
  return {
    resources: parts.flatMap(({ resources }) => resources),
    diagnostics: [...cutOff(run), ...parts.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function cutOff({ isWhole, organization }: RunJournal): Diagnostic[] {
  if (isWhole) return [];
  return [
    {
      severity: 'note',
      code: 'journal-cut-off',
      message: `the journal of ${organization} is incomplete; the results of its last calls are read from the service`,
    },
  ];
}
