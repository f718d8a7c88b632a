import type { JournaledCall, JournaledChange } from '../apply/journal/parse-journal.ts';
import { differencesFromSent } from '../apply/name-conflict.ts';
import { sameAttribute } from '../diff/normalize.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { isAttributePath } from '../model/attributes.ts';
import { listDifference } from '../model/list-rule.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { signedEntries } from '../model/text.ts';
import { listTexts, type Value, type Values } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';
import {
  declaration,
  leftAlone,
  nothingToRevert,
  type RevertContext,
  type Reverted,
  shownValue,
} from './revert.ts';
import { bindingsChanged, type Left, leftBy, listAfter } from './revert-bindings.ts';

/** Deletes a workspace that the run created, unless it changed since. */
export function revertCreate(
  change: JournaledChange,
  live: WorkspaceResource | undefined,
  context: RevertContext,
): Reverted {
  if (live === undefined) return nothingToRevert;
  const unanswered = change.calls.find(
    ({ call, outcome }) => call.operation === 'createWorkspace' && outcome?.result !== 'done',
  );
  const foreign = unanswered ? differencesFromSent(unanswered.written, live.attributes) : [];
  if (foreign.length > 0) {
    const how = `it is unknown whether the run created it, and ${foreign.join('; ')}`;
    return leftAlone(change, how);
  }
  const most = leftBy(change.calls);
  const least = leftBy(change.calls.filter(isCertain));
  const now: Values = { ...live.attributes, name: live.name };
  // A deletion removes a workspace from the lists of others; this undo may have deleted it.
  const isPresent = (id: string) => context.touched.names.has(id);
  const changed = [
    ...valuesMoved([most, least], now, context)
      .filter(({ path }) => isShown(path, change, now))
      .map(({ text }) => text),
    ...bindingsChanged(most, now),
    ...listMoved(
      'tags',
      [most, least].map(({ tags }) => listAfter(tags, recoveredTags(change))),
      now.tags,
    ),
    ...(most.consumers.length > 0
      ? listMoved(
          'remote-state-consumers',
          [most, least].map(({ consumers }) => listAfter(consumers, []).filter(isPresent)),
          now['remote-state-consumers'],
        )
      : []),
  ];
  if (changed.length > 0) {
    const how = `it changed after the run created it: ${changed.join('; ')}`;
    return leftAlone(change, how);
  }
  const unlocks = isLocked(most.values.lock) ? { unlocks: true as const } : {};
  const unchanged = Object.keys(most.values).filter((path) => path !== 'lock' && !isCreateOnly(path));
  return {
    resources: [declaration(live.name, {}, { absent: context.deleteMode, ...unlocks, unchanged })],
    diagnostics: [],
  };
}

/** The service does not always return the attributes that are set on create only. */
function isCreateOnly(path: string): boolean {
  return isAttributePath(path) && workspaceAttributes[path].createOnly === true;
}

/** The tags with which a workspace was recovered; none for one that was created. */
function recoveredTags({ calls }: JournaledChange): readonly string[] {
  const recovery = calls.find(({ call }) => call.operation === 'recoverWorkspace');
  return listTexts(recovery?.outcome?.answered?.tags);
}

/** The workspace exists, so its creation succeeded; any other call is certain only if it had a response. */
function isCertain({ call, outcome }: JournaledCall): boolean {
  return call.operation === 'createWorkspace' || outcome?.result === 'done';
}

/** A value that the service never returned is not known to be stored. */
function isShown(path: string, { calls }: JournaledChange, now: Values): boolean {
  return now[path] !== undefined || calls.some(({ outcome }) => outcome?.answered?.[path] !== undefined);
}

function valuesMoved(
  [most, least]: readonly [Left, Left],
  now: Values,
  context: RevertContext,
): { readonly path: string; readonly text: string }[] {
  return Object.entries(most.values).flatMap(([path, value]) => {
    if (isCreateOnly(path)) return [];
    // A removed lock does not forbid the deletion: an undo that was interrupted has removed it.
    const mayBe =
      path === 'lock' ? [value, { locked: false }] : path in least.values ? [value] : [value, null];
    if (mayBe.some((one) => sameAttribute(path, one, now[path]))) return [];
    const [was, is] = [value, now[path]].map((one) => shownValue(path, one, context));
    return [{ path, text: `${path} was ${was} and is ${is}` }];
  });
}

/** @param expected with and without what may not have taken effect */
function listMoved(
  path: string,
  [most = [], least = []]: readonly (readonly string[])[],
  now: Value | undefined,
): string[] {
  const is = listTexts(now);
  const { add } = listDifference(most, is);
  const { remove } = listDifference(least, is);
  if (add.length + remove.length === 0) return [];
  return [`${path} ${signedEntries(add, remove).join(' ')}`];
}
