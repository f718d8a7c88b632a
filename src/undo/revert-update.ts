import type { JournaledChange } from '../apply/journal/parse-journal.ts';
import { sharedWith, sharingSwitchOf } from '../model/attributes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ListRule } from '../model/list-rule.ts';
import { listDifference } from '../model/list-rule.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { declaredLock } from '../relations/relations.ts';
import {
  declaration,
  leftAlone,
  lostProject,
  nameInUse,
  notUndoable,
  type RevertContext,
  type Reverted,
  shownValue,
  undoConflict,
} from './revert.ts';
import { type Left, leftBy, listAfter, revertBindings } from './revert-bindings.ts';
import { revertSettings } from './revert-settings.ts';

/** Restores the values of a workspace that the run changed and that did not change since. */
export function revertUpdate(
  change: JournaledChange,
  live: WorkspaceResource | undefined,
  context: RevertContext,
): Reverted {
  if (live === undefined) return leftAlone(change, 'it was deleted, or this token may not see it');
  const { before } = change;
  const left = leftBy(change.calls);
  const now: Values = { ...live.attributes, name: live.name };
  const settings = revertSettings({ before, after: left.values, live: now });
  const { name: formerName, lock, project, ...others } = settings.restored;
  const lost = lostProject(project, context);
  const restored = { ...others, ...(project !== undefined && lost === undefined && { project }) };
  const taken = takenName(formerName, live, context);
  const name = typeof formerName === 'string' && !taken ? formerName : live.name;
  const bindings = revertBindings(change, left, live.attributes);
  const consumers = revertConsumers(change, left, { live, restored }, context);
  const attributes = {
    ...restored,
    ...(lock !== undefined && { lock: declaredLock(lock) }),
    ...revertTags(before, left),
    ...consumers.attributes,
    ...bindings.attributes,
  };
  const diagnostics = [
    ...settings.changed.map(({ path, after, live: is }) => {
      const [set, found] = [after, is].map((value) => shownValue(path, value, context));
      return undoConflict(change, `the run set ${set}, but it is now ${found}`, path);
    }),
    ...(taken ? [nameInUse(change, formerName, 'workspace')] : []),
    ...(lost === undefined ? [] : [undoConflict(change, lost, 'project')]),
    ...settings.unknown.map((path) =>
      notUndoable(change, `the former ${path} is unknown: the service did not return it`),
    ),
    ...consumers.diagnostics,
    ...bindings.diagnostics,
  ];
  const renamed = name !== live.name;
  if (Object.keys(attributes).length === 0 && !renamed) return { resources: [], diagnostics };
  const declared = renamed ? { renamedFrom: live.name } : {};
  return { resources: [declaration(name, attributes, declared)], diagnostics };
}

function takenName(former: Value | undefined, live: WorkspaceResource, { touched }: RevertContext): boolean {
  const holder = typeof former === 'string' ? touched.byName.get(former) : undefined;
  return holder !== undefined && holder.id !== live.id;
}

/** Removes the tags that the run added and adds those that it removed. Other tags are left alone. */
function revertTags(before: Values, { tags }: Left): Record<string, Value> {
  if (tags.length === 0 || !Array.isArray(before.tags)) return {};
  return { tags: backwards(before.tags.map(String), tags) };
}

function backwards(was: readonly string[], rules: readonly ListRule[]): { add: string[]; remove: string[] } {
  const { add, remove } = listDifference(was, listAfter(rules, was));
  return { add: remove, remove: add };
}

interface ConsumerContext {
  readonly live: WorkspaceResource;
  readonly restored: Values;
}

function revertConsumers(
  change: JournaledChange,
  { consumers }: Left,
  { live, restored }: ConsumerContext,
  { nowCalled, touched: { names } }: RevertContext,
): { readonly attributes: Values; readonly diagnostics: readonly Diagnostic[] } {
  const path = 'remote-state-consumers';
  const was = change.before[path];
  if (consumers.length === 0) return { attributes: {}, diagnostics: [] };
  const sharedAgain = sharingSwitchOf(restored) !== undefined;
  if (!Array.isArray(was)) {
    const what =
      'its former consumers are unknown: the service does not return them while the state is shared with all';
    return { attributes: {}, diagnostics: sharedAgain ? [notUndoable(change, what)] : [] };
  }
  if (sharedAgain) return { attributes: {}, diagnostics: [] };
  const shared = sharingSwitchOf(live.attributes);
  if (shared && restored[shared] === undefined) {
    return {
      attributes: {},
      diagnostics: [undoConflict(change, `its state is shared with ${sharedWith[shared]} now`)],
    };
  }
  const { add: removed, remove } = backwards(was.map(String), consumers);
  // The service removed the workspaces that the run deleted, although no call of the list did.
  const deleted = was.map(String).filter((id) => !names.has(id) && nowCalled(id) !== undefined);
  const add = [...new Set([...removed, ...deleted])];
  const gone = add.filter((id) => nowCalled(id) === undefined);
  return {
    attributes: { [path]: { add: add.flatMap((id) => nowCalled(id) ?? []), remove } },
    diagnostics: gone.map((id) =>
      notUndoable(change, `its consumer ${id} was deleted, or this token may not see it`),
    ),
  };
}
