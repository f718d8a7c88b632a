import type { JournaledChange } from '../apply/journal/parse-journal.ts';
import { hasFixedDefault } from '../apply/name-conflict.ts';
import { sameAttribute } from '../diff/fields.ts';
import { sentLater } from '../diff/ownership.ts';
import type { RecoverableItem } from '../live/access-facts.ts';
import type { AttributePath } from '../model/attribute-values.ts';
import { attributePaths, isUnder, projectPaths } from '../model/attributes.ts';
import { createdEmpty } from '../model/change.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { asBindings } from '../model/list-rule.ts';
import {
  type Resource,
  type ResourceKind,
  uncreatedProject,
  type WorkspaceResource,
} from '../model/state.ts';
import { isRecord, listTexts, sameValue, sortedSet, type Value, type Values } from '../model/value.ts';
import { isLocked, relations } from '../relations/relations.ts';
import {
  both,
  declareReverted,
  goneConsumer,
  leftAlone,
  lostProject,
  movedSince,
  nothingToRevert,
  notUndoable,
  type RevertContext,
  type Reverted,
} from './reverted.ts';
import { grantValues, leftBy, settingsToCreate } from './versions.ts';

/** Creates again, or recovers, what a run deleted. Another object that has its name now is left alone. */
export function revertDelete(
  change: JournaledChange,
  live: Resource | undefined,
  context: RevertContext,
): Reverted {
  if (live?.id !== undefined && live.id === change.id) return nothingToRevert;
  const kept = keptValues(change);
  const attributes = toCreate[change.kind](kept, context);
  if (live !== undefined) return completeOther(change, live, { kept, attributes }, context);
  const lost = change.kind === 'workspace' ? lostProject(change, kept, context) : undefined;
  if (lost !== undefined) return both(nothingToRevert, lost);
  const { id } = change;
  const item = context.touched.recoverable?.get(id ?? '');
  const isElsewhere = item !== undefined && isInNewProject(kept, context);
  const isKept = item !== undefined && !item.isPermanentlyDeleted && !isElsewhere && id !== undefined;
  const recovery = isKept && { recovers: { workspace: id, item: item.id } };
  const declared = declareReverted(change, { name: nameOf(change), attributes, ...recovery }, context);
  return both(
    declared,
    ...(isKept ? [recovers(change, item)] : []),
    ...lostParts(change, kept, { item, isElsewhere }, context).map((what) => notUndoable(change, what)),
  );
}

/** Whether its former project is created again, with another id. The service recovers a workspace only into its own project. */
function isInNewProject({ project }: Values, { touched }: RevertContext): boolean {
  return touched.changes.some(
    ({ change: { kind, action, id, name }, live }) =>
      kind === 'project' &&
      action === 'delete' &&
      live?.id !== id &&
      (live?.id ?? uncreatedProject(name)) === project,
  );
}

const toCreate: Readonly<
  Record<ResourceKind, (kept: Values, context: Pick<RevertContext, 'nowCalled' | 'missing'>) => Values>
> = {
  project: (kept) => {
    const values = projectPaths.flatMap((path) => (kept[path] ? [[path, kept[path]] as const] : []));
    const bindings = asBindings(kept['tag-bindings']) ?? {};
    const tags = Object.keys(bindings).length > 0 && { 'tag-bindings': { exactly: bindings } };
    return { ...Object.fromEntries(values), ...tags };
  },
  workspace: (all, { nowCalled, missing }) => {
    // Some services return what they do not offer.
    const isOffered = (path: string) => !missing.some((feature) => isUnder(path, feature));
    const kept = Object.fromEntries(Object.entries(all).filter(([path]) => isOffered(path)));
    const restored = Object.entries(relations).flatMap(([path, relation]) => {
      const value = kept[path] === undefined ? undefined : relation.restored?.(kept[path], nowCalled);
      return value === undefined ? [] : [[path, value] as const];
    });
    return { ...settingsToCreate(kept), ...Object.fromEntries(restored) };
  },
  'team-access': ({ project = null, team = null, ...kept }) => ({ project, team, ...grantValues(kept) }),
};

function recovers({ address }: JournaledChange, { expiresAt }: RecoverableItem): Diagnostic {
  return note(
    'recovers',
    `${address} can be recovered with its id, runs and state: the service keeps it until ${expiresAt}`,
    { at: { address } },
  );
}

function lostParts(
  { kind }: JournaledChange,
  { lock, 'remote-state-consumers': consumers }: Values,
  { item, isElsewhere }: { readonly item: RecoverableItem | undefined; readonly isElsewhere: boolean },
  { touched: { recoverable }, nowCalled }: RevertContext,
): readonly string[] {
  if (kind === 'team-access') return [];
  if (kind === 'project')
    return [
      'it is created again with a new id: its team access and variable sets are lost, except for access that this undo restores',
    ];
  const isPurged = item?.isPermanentlyDeleted === true;
  const isCreated = isPurged || isElsewhere || item === undefined;
  const holder = isCreated && isLocked(lock) && isRecord(lock) ? lock.by : undefined;
  const parts: readonly (readonly [isLost: boolean, what: string])[] = [
    [
      recoverable === undefined,
      'this token may not list what the service keeps: to recover it, use a token that may manage recoverable items',
    ],
    [isPurged, 'it was permanently deleted, so it cannot be recovered'],
    [isElsewhere, 'its former project is deleted, so it cannot be recovered'],
    [isCreated, createdEmpty],
    [Boolean(holder), `its lock was held by ${holder} and will be held by the owner of this token`],
    ...listTexts(consumers).map((id) => [nowCalled(id) === undefined, goneConsumer(id)] as const),
  ];
  return parts.flatMap(([isLost, what]) => (isLost ? what : []));
}

/** Another object has the name. A workspace is completed if an undo that was interrupted has created it. */
function completeOther(
  change: JournaledChange,
  live: Resource,
  { kept, attributes }: Readonly<Record<'kept' | 'attributes', Values>>,
  context: RevertContext,
): Reverted {
  const others = differing(attributes, live, context);
  if (others.length === 0) return nothingToRevert;
  const ours = recreation(change, live, context);
  if (live.kind !== 'workspace' || (!ours && !isUnfinished(live, kept, others))) {
    const paths = others.map(([path]) => path).join(', ');
    const how = `after the run deleted it, another one was created with its name and a different ${paths}`;
    return leftAlone(change, how);
  }
  // What the undo restored and what changed since is left alone.
  const left = leftBy(ours?.calls.filter(({ outcome }) => outcome?.result === 'done') ?? [], {});
  const isRestored = ([path, value]: Attribute) => ours && isAsDeclared(path, value, left, context);
  const missing = others.filter((other) => !isRestored(other));
  const conflicts = others.filter(isRestored).map(([path]) => {
    return movedSince('undo', change, { path, before: left[path], after: live.attributes[path] }, context);
  });
  if (missing.length === 0) return { resources: [], diagnostics: conflicts };
  const declaration = { name: nameOf(change), live, attributes: Object.fromEntries(missing) };
  return both(declareReverted(change, declaration, context), ...conflicts);
}

/** Whether the live workspace with the name of a deleted one is a different one. Readers of its state are not compared. */
export function isAnother(
  change: JournaledChange,
  live: Resource | undefined,
  context: Pick<RevertContext, 'touched' | 'recreated' | 'missing'>,
): boolean {
  if (live?.kind !== 'workspace' || live.id === change.id || recreation(change, live, context)) return false;
  const kept = keptValues(change);
  const wanted = toCreate.workspace(kept, { ...context, nowCalled: () => undefined });
  const others = differing(wanted, live, context);
  return others.length > 0 && !isUnfinished(live, kept, others);
}

function recreation(
  { id = '' }: JournaledChange,
  live: Resource,
  { recreated }: Pick<RevertContext, 'recreated'>,
) {
  const found = recreated.get(id);
  return found?.id === live.id ? found : undefined;
}

/** The last read before the deletion came after the unlock, so the lock is taken from the earlier values. */
function keptValues({ before, kept }: JournaledChange): Values {
  const values = kept ?? before;
  return before.lock === undefined ? values : { ...values, lock: before.lock };
}

function nameOf(change: JournaledChange): string {
  const { kind, name } = change;
  return kind === 'workspace' ? String(keptValues(change).name ?? name) : name;
}

type Attribute = readonly [path: string, value: Value];

function differing(
  attributes: Values,
  { kind, attributes: live }: Resource,
  context: Pick<RevertContext, 'touched'>,
): readonly Attribute[] {
  const now: Values = kind === 'team-access' ? { ...live, ...grantValues(live) } : live;
  return Object.entries(attributes).filter(([path, value]) => !isAsDeclared(path, value, now, context));
}

function isAsDeclared(
  path: string,
  value: Value,
  attributes: Values,
  { touched: { workspaces } }: Pick<RevertContext, 'touched'>,
): boolean {
  const now = attributes[path];
  if (path === 'tag-bindings') return sameValue(value, { exactly: now ?? {} });
  if (!isRecord(value) || !('exactly' in value)) return sameAttribute(path, value, now);
  const idOf = (name: string) => [...workspaces.values()].find((one) => one.name === name)?.id ?? name;
  return sameValue(sortedSet(listTexts(value.exactly as Value).map(idOf)), sortedSet(listTexts(now)));
}

/**
 * Whether a live workspace is one that an undo created again before it was interrupted: it is unused, and has every value
 * that a creation sends first. What a creation sends later is as declared or not set.
 */
function isUnfinished(workspace: WorkspaceResource, kept: Values, others: readonly Attribute[]): boolean {
  const { attributes, isUnused } = workspace;
  const isUnset = (path: string) => {
    const now = attributes[path];
    if (path === 'lock') return !isLocked(now);
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
