import type { UnfinishedCreations } from '../../diff/comparison.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { ListRule } from '../../model/state.ts';
import { operationHandlers } from '../operations/operations.ts';
import { idOf, type JournaledCall, type JournaledChange, type RunJournal } from './parse-journal.ts';

/** The workspaces that runs created without sending all of their tags. A creation of a complete run is not among them. */
export function unfinishedCreations(runs: readonly RunJournal[]): UnfinishedCreations {
  const created = runs
    .filter(({ isComplete }) => !isComplete)
    .flatMap(({ changes, dialect }) =>
      changes
        .filter(({ kind, action }) => kind === 'workspace' && action === 'create')
        .flatMap((change) => {
          const id = idOf(change);
          return id === undefined ? [] : [[id, unsent(change, dialect)] as const];
        }),
    );
  return new Map(created.filter(([, parts]) => parts.size > 0));
}

function unsent({ calls }: JournaledChange, dialect: Dialect): ReadonlySet<'tags' | 'tagged'> {
  const done = calls.filter(({ outcome }) => outcome?.result === 'done');
  const written = done.map((one) => ({
    ...operationHandlers[one.call.operation].writes(one.call, dialect),
    ...one,
  }));
  return new Set([
    ...(written.some(({ tags, ...one }) => tags && hasTaken(one, tags)) ? [] : ['tags' as const]),
    ...(written.some(({ bindings }) => bindings) ? [] : ['tagged' as const]),
  ]);
}

/** The tags in a create are undocumented: the service took them only if its answer shows them. */
function hasTaken({ call, outcome }: JournaledCall, sent: ListRule): boolean {
  if (call.operation !== 'createWorkspace' || !('add' in sent)) return true;
  const { tags } = outcome?.answered ?? {};
  const shown = new Set(Array.isArray(tags) ? tags.map((tag) => String(tag).toLowerCase()) : []);
  return sent.add.every((tag) => shown.has(tag.toLowerCase()));
}
