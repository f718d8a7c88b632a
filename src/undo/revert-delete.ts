import type { JournaledChange } from '../apply/journal/parse-journal.ts';
import { hasFixedDefault } from '../apply/name-conflict.ts';
import { sameAttribute } from '../diff/normalize.ts';
import { sentLater } from '../diff/ownership.ts';
import type { RecoverableItem } from '../live/recoverable-items.ts';
import type { AttributePath } from '../model/attribute-values.ts';
import { attributePaths, isUnder } from '../model/attributes.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { listDifference } from '../model/list-rule.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { isRecord, listTexts, sameValue, sortedSet, type Value, type Values } from '../model/value.ts';
import { isLocked, relations } from '../relations/relations.ts';
import {
  declaration,
  leftAlone,
  lostProject,
  nothingToRevert,
  notUndoable,
  type RevertContext,
  type Reverted,
  shownValue,
  undoConflict,
} from './revert.ts';
import { bindingsAfter, leftBy, listAfter } from './revert-bindings.ts';
import { settingsToCreate } from './revert-settings.ts';
import type { Recreated } from './successors.ts';

function recovery({ address }: JournaledChange, { expiresAt }: RecoverableItem): Diagnostic {
  return note(
    'recovers',
    `${address} can be recovered with its id, runs and state: the service keeps it until ${expiresAt}`,
    { at: { address } },
  );
}

/** Recovers a deleted workspace, or creates it again with its settings; its state, runs and variables are then lost. */
export function revertDelete(
  change: JournaledChange,
  live: WorkspaceResource | undefined,
  context: RevertContext,
): Reverted {
  if (live !== undefined && live.id === change.id) return nothingToRevert;
  const kept = keptValues(change);
  const attributes = attributesToCreate(kept, context);
  const name = String(kept.name ?? change.name);
  if (live !== undefined) return completeOther(change, live, { name, kept, attributes }, context);
  const lost = lostProject(kept.project, context);
  if (lost !== undefined) return leftAlone(change, lost);
  const item = context.touched.recoverable?.get(change.id ?? '');
  const recovers =
    item && !item.isPermanentlyDeleted && change.id !== undefined
      ? { recovers: { workspace: change.id, item: item.id } }
      : {};
  const isRecovered = 'recovers' in recovers;
  return {
    resources: [declaration(name, attributes, recovers)],
    diagnostics: [
      ...recoveryNotes(change, item, { isRecovered, isListed: context.touched.recoverable !== undefined }),
      ...lostValues(change, kept, context),
    ],
  };
}

/** What the run deleted: its name, its values, and those that a creation needs. */
interface Deleted {
  readonly name: string;
  readonly kept: Values;
  readonly attributes: Readonly<Record<string, Value>>;
}

/** Another workspace has the name. It is completed if an undo that was interrupted has created it. */
function completeOther(
  change: JournaledChange,
  live: WorkspaceResource,
  { name, kept, attributes }: Deleted,
  context: RevertContext,
): Reverted {
  const others = differing(attributes, live, context);
  if (others.length === 0) return nothingToRevert;
  const ours = recreation(change, live, context);
  if (ours !== undefined) return completeOurs(change, live, { name, others, ours }, context);
  if (isUnfinished(live, kept, others))
    return { resources: [declaration(name, Object.fromEntries(others), {})], diagnostics: [] };
  const paths = others.map(([path]) => path).join(', ');
  const why = `after the run deleted it, another workspace was created with its name and a different ${paths}`;
  return leftAlone(change, why);
}

/** The live workspace, if the journals of undos show that they created it. */
function recreation(
  { id = '' }: JournaledChange,
  live: WorkspaceResource,
  { recreated }: Pick<RevertContext, 'recreated'>,
): Recreated | undefined {
  const found = recreated.get(id);
  return found !== undefined && found.id === live.id ? found : undefined;
}

interface Ours {
  readonly name: string;
  /** The attributes without the declared value. */
  readonly others: readonly (readonly [string, Value])[];
  readonly ours: Recreated;
}

/** An undo created the workspace. What it restored and what changed since is left alone. */
function completeOurs(
  change: JournaledChange,
  live: WorkspaceResource,
  { name, others, ours }: Ours,
  context: RevertContext,
): Reverted {
  const done = leftBy(ours.calls.filter(({ outcome }) => outcome?.result === 'done'));
  const left: WorkspaceResource = {
    ...live,
    attributes: {
      ...done.values,
      tags: listAfter(done.tags, []),
      'remote-state-consumers': listAfter(done.consumers, []),
      'tag-bindings': bindingsAfter(done.bindings, {}),
    },
  };
  const isRestored = ([path, value]: readonly [string, Value]) => isAsDeclared(path, value, left, context);
  const missing = others.filter((other) => !isRestored(other));
  return {
    resources: missing.length > 0 ? [declaration(name, Object.fromEntries(missing), {})] : [],
    diagnostics: others.filter(isRestored).map(([path]) => {
      const [was, is] = [left, live].map(({ attributes }) => shownValue(path, attributes[path], context));
      return undoConflict(change, `the undo set ${was}, but it is now ${is}`, path);
    }),
  };
}

/** Whether the workspace is restored with its state, and if not, why. */
function recoveryNotes(
  change: JournaledChange,
  item: RecoverableItem | undefined,
  { isRecovered, isListed }: { readonly isRecovered: boolean; readonly isListed: boolean },
): readonly Diagnostic[] {
  if (isRecovered && item) return [recovery(change, item)];
  const reasons = [
    ...(isListed
      ? []
      : [
          'this token may not list what the service keeps: to recover it, use a token that may manage recoverable items',
        ]),
    ...(item?.isPermanentlyDeleted ? ['it was permanently deleted, so it cannot be recovered'] : []),
    'it is created again empty, with a new id: its state, runs, variables, notifications, permissions by id and places in consumer lists that the run did not write are lost',
  ];
  return reasons.map((why) => notUndoable(change, why));
}

/** Values that cannot be what they were. */
function lostValues(
  change: JournaledChange,
  kept: Values,
  { nowCalled }: Pick<RevertContext, 'nowCalled'>,
): readonly Diagnostic[] {
  const { lock } = kept;
  const consumers = Array.isArray(kept['remote-state-consumers']) ? kept['remote-state-consumers'] : [];
  const gone = consumers.map(String).filter((id) => nowCalled(id) === undefined);
  const reasons = [
    ...(isLocked(lock) && isRecord(lock) && lock.by
      ? [`its lock was held by ${lock.by} and will be held by the owner of this token`]
      : []),
    ...gone.map((id) => `its consumer ${id} was deleted, or this token may not see it`),
  ];
  return reasons.map((why) => notUndoable(change, why));
}

function attributesToCreate(
  all: Values,
  { nowCalled, missing }: Pick<RevertContext, 'nowCalled' | 'missing'>,
): Record<string, Value> {
  // Some services return what they do not offer.
  const isOffered = (path: string) => !missing.some((feature) => isUnder(path, feature));
  const kept = Object.fromEntries(Object.entries(all).filter(([path]) => isOffered(path)));
  const restored = Object.entries(relations).flatMap(([path, relation]) => {
    const value = kept[path] === undefined ? undefined : relation.restored?.(kept[path], nowCalled);
    return value === undefined ? [] : [[path, value] as const];
  });
  return { ...settingsToCreate(kept), ...Object.fromEntries(restored) };
}

/** The attributes of a workspace that already exists without the declared value. */
function differing(
  attributes: Values,
  live: WorkspaceResource,
  context: Pick<RevertContext, 'touched'>,
): readonly (readonly [string, Value])[] {
  return Object.entries(attributes).filter(([path, value]) => !isAsDeclared(path, value, live, context));
}

/** Whether an attribute of a workspace that already exists has the declared value. */
function isAsDeclared(
  path: string,
  value: Value,
  { attributes }: WorkspaceResource,
  { touched }: Pick<RevertContext, 'touched'>,
): boolean {
  const now = attributes[path];
  if (path === 'tag-bindings') return sameValue(value, { exactly: now ?? {} });
  if (!isRecord(value) || !('exactly' in value)) return sameAttribute(path, value, now);
  const wanted = (value.exactly as readonly Value[]).map(
    (item) => touched.byName.get(String(item))?.id ?? String(item),
  );
  const { add, remove } = listDifference(sortedSet(wanted), listTexts(now));
  return add.length + remove.length === 0;
}

/**
 * Whether a live workspace is one that an undo created again before it was interrupted: it is unused, and has every value
 * that a creation sends first. What a creation sends later is as declared or not set.
 */
function isUnfinished(
  { attributes, isUnused }: WorkspaceResource,
  kept: Values,
  others: readonly (readonly [string, Value])[],
): boolean {
  const isUnset = (path: string) => {
    const now = attributes[path];
    if (path === 'lock') return now === undefined || !isLocked(now);
    return now === undefined || now === null || (Array.isArray(now) && now.length === 0);
  };
  const isDefault = (path: AttributePath) =>
    kept[path] === undefined ||
    attributes[path] === undefined ||
    sameAttribute(path, kept[path], attributes[path]);
  return (
    isUnused === true &&
    others.every(([path]) => sentLater.has(path) && isUnset(path)) &&
    attributePaths.filter(hasFixedDefault).every(isDefault)
  );
}

/** Whether the live workspace with the name of a deleted one is a different one. Readers of its state are not compared. */
export function isAnother(
  change: JournaledChange,
  live: WorkspaceResource | undefined,
  context: Pick<RevertContext, 'touched' | 'recreated' | 'missing'>,
): boolean {
  if (live === undefined || live.id === change.id || recreation(change, live, context)) return false;
  const kept = keptValues(change);
  const others = differing(
    attributesToCreate(kept, { ...context, nowCalled: () => undefined }),
    live,
    context,
  );
  return others.length > 0 && !isUnfinished(live, kept, others);
}

function keptValues({ before, kept }: JournaledChange): Values {
  // The last read before the deletion came after the unlock, so the lock is taken from the earlier values.
  return { ...(kept ?? before), ...(before.lock !== undefined && { lock: before.lock }) };
}
