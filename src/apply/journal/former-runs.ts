import type { UnfinishedCreations } from '../../diff/comparison.ts';
import { changesOf } from '../../model/change.ts';
import { type Diagnostic, note } from '../../model/diagnostic.ts';
import { idOf, type JournaledCall, type JournaledChange, type RunJournal } from './parse-journal.ts';

/** The workspaces that runs created without sending all of their tags. A creation of a complete run is not among them. */
export function unfinishedCreations(runs: readonly RunJournal[]): UnfinishedCreations {
  const created = runs
    .filter(({ isComplete }) => !isComplete)
    .flatMap(({ changes }) =>
      changesOf(changes, 'workspace')
        .filter(({ action }) => action === 'create')
        .flatMap((change) => {
          const id = idOf(change);
          return id === undefined ? [] : [[id, unsent(change)] as const];
        }),
    );
  return new Map(created.filter(([, parts]) => parts.size > 0));
}

function unsent({ calls }: JournaledChange): ReadonlySet<'tags' | 'tagged'> {
  const done = calls.filter(({ outcome }) => outcome?.result === 'done');
  return new Set([
    ...(done.some(hasTaken) ? [] : ['tags' as const]),
    ...(done.some(({ written }) => written.bindings) ? [] : ['tagged' as const]),
  ]);
}

/** The tags in a create are undocumented: the service took them only if its answer shows them. */
function hasTaken({ call, written: { tags: sent }, outcome }: JournaledCall): boolean {
  if (sent === undefined) return false;
  if (call.operation !== 'createWorkspace' || !('add' in sent)) return true;
  const { tags } = outcome?.answered ?? {};
  const shown = new Set(Array.isArray(tags) ? tags.map((tag) => String(tag).toLowerCase()) : []);
  return sent.add.every((tag) => shown.has(tag.toLowerCase()));
}

/** A run that is killed cannot report what it changed. */
export function unendedRuns(runs: readonly Pick<RunJournal, 'isWhole'>[]): Diagnostic[] {
  if (runs.every(({ isWhole }) => isWhole)) return [];
  const message = 'the newest journal has no end: its run was interrupted, or is not over';
  const hint = 'apply again for the rest, or run `attune undo --last` to revert what it changed';
  return [note('journal-cut-off', message, { hint })];
}
