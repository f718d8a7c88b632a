import { creations } from '../apply/journal/journal.ts';
import type { JournaledCall, JournaledChange } from '../apply/journal/parse-journal.ts';
import { differencesFromSent } from '../apply/name-conflict.ts';
import { sameAttribute } from '../diff/fields.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { isAttributePath, sharedWith, sharingSwitchOf } from '../model/attributes.ts';
import { aliasOf } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { asBindings, bindingTexts, type ListRule } from '../model/list-rule.ts';
import type { Resource } from '../model/state.ts';
import { listTexts, type Value, type Values } from '../model/value.ts';
import { declaredLock, isLocked } from '../relations/relations.ts';
import {
  both,
  declareReverted,
  goneConsumer,
  leftAlone,
  lostProject,
  movedSince,
  notUndoable,
  type RevertContext,
  type Reverted,
  undoConflict,
} from './reverted.ts';
import { grantValues, leftBy, restorable } from './versions.ts';

const consumersPath = 'remote-state-consumers';

/** Deletes what a run created, unless it changed since: then it is in use. */
export function revertCreate(change: JournaledChange, live: Resource, context: RevertContext): Reverted {
  const { kind, calls } = change;
  const left = leftBy(calls, {});
  const creation = calls.find(
    ({ call: { operation } }) => operation !== 'recoverWorkspace' && creations.has(operation),
  );
  const unanswered = creation && creation.outcome?.result !== 'done';
  // What the run did not write is compared with what the creation made of it.
  const differing =
    creation && live.kind !== 'team-access' ? differencesFromSent(creation.written, live) : {};
  const others = Object.keys(differing).filter((path) => unanswered || !(path in left));
  const changed = new Set([...others, ...changedSince(change, live, context)]);
  if (changed.size > 0) {
    const what = unanswered
      ? 'it is unknown whether the run created it, and it differs from what the run sent'
      : 'it changed after the run created it';
    return leftAlone(change, `${what}: ${[...changed].join(', ')}`);
  }
  if (kind === 'team-access') {
    const { project = null, team = null }: Values = live.attributes;
    return declareReverted(change, { attributes: { project, team }, absent: 'safe' }, context);
  }
  const unchanged = Object.keys(left).filter(
    (path) => path !== 'lock' && entriesOf(path, []) === undefined && !isCreateOnly(path),
  );
  if (kind === 'project') {
    const given = grantsOfOthers(live, context);
    if (given.length > 0)
      return leftAlone(change, `teams have other access to it than the run gave: ${given.join(', ')}`);
    return declareReverted(change, { live, absent: 'safe', unchanged }, context);
  }
  const unlocks = isLocked(left.lock) && ({ unlocks: true } as const);
  return declareReverted(
    change,
    { name: live.name, absent: context.deleteMode, ...unlocks, unchanged },
    context,
  );
}

/** The teams with access to a project that is not as the run created it. */
function grantsOfOthers({ id }: Resource, context: RevertContext): readonly string[] {
  const { changes, grants } = context.touched;
  const own = new Set(
    changes.flatMap(({ change, live }) =>
      live && change.action === 'create' && changedSince(change, live, context).length === 0 ? live : [],
    ),
  );
  const others = grants.filter((grant) => grant.attributes.project === id && !own.has(grant));
  return others.map(({ attributes: { team } }) => aliasOf(context.aliases, 'teams', team));
}

/** The service does not always return the attributes that are set on create only. */
function isCreateOnly(path: string): boolean {
  return isAttributePath(path) && workspaceAttributes[path].createOnly === true;
}

/** The values of a created resource that are not as the run left them. A call without an answer may have taken effect, or not. */
function changedSince(change: JournaledChange, live: Resource, context: RevertContext): readonly string[] {
  const { touched } = context;
  const { kind, calls } = change;
  const recovery = calls.find(({ call }) => call.operation === 'recoverWorkspace');
  const base: Values = recovery
    ? { tags: listTexts(recovery.outcome?.answered?.tags) }
    : { tags: [], [consumersPath]: [], 'tag-bindings': {} };
  // The resource exists, so its creation succeeded.
  const isCertain = ({ call, outcome }: JournaledCall) =>
    call.operation === 'createWorkspace' || outcome?.result === 'done';
  const own = kind === 'team-access' ? grantValues : (values: Values) => values;
  const most: Values = own({ ...base, ...leftBy(calls, base) });
  const least: Values = own({ ...base, ...leftBy(calls.filter(isCertain), base) });
  const now = own(valuesOf(live));
  const isChanged = (path: string) => {
    const [before, after] = [most[path], now[path]];
    const [had, has] = [entriesOf(path, before), entriesOf(path, after)];
    if (had && has) {
      // A deletion removes a workspace from the lists of others; this undo may have deleted it.
      const isPresent = (id: string) => path !== consumersPath || touched.names.has(id);
      const certain = (entriesOf(path, least[path]) ?? []).filter(isPresent);
      return has.some((entry) => !had.includes(entry)) || certain.some((entry) => !has.includes(entry));
    }
    if (isCreateOnly(path) || !isShown(path, change, now)) return false;
    // A removed lock does not forbid the deletion: an undo that was interrupted has removed it.
    const other = path === 'lock' ? { locked: false } : path in least ? before : null;
    return ![before, other].some((value) => sameAttribute(path, value, after));
  };
  return Object.keys(most).filter(isChanged);
}

/** The entries of a list that a change of another user can add to. */
function entriesOf(path: string, value: Value | undefined): readonly string[] | undefined {
  if (path === 'tag-bindings') return bindingTexts(asBindings(value) ?? {});
  if (path !== 'tags' && path !== consumersPath) return undefined;
  return listTexts(value);
}

/** A value that the service never returned is not known to be stored. */
function isShown(path: string, { kind, calls }: JournaledChange, now: Values): boolean {
  if (kind !== 'workspace' || now[path] !== undefined) return true;
  return calls.some(({ outcome }) => outcome?.answered?.[path] !== undefined);
}

function valuesOf({ kind, name, attributes }: Resource): Values {
  return kind === 'workspace' ? { ...attributes, name } : attributes;
}

export function revertUpdate(change: JournaledChange, live: Resource, context: RevertContext): Reverted {
  const { kind, before } = change;
  const left = withoutDeleted(leftBy(change.calls, before), context);
  const found = restorable(kind, { before, left, live: valuesOf(live) });
  const { name: formerName, ...restored } = found.restored;
  const isTaken = formerName !== undefined && holdsName(formerName, live, context);
  const taken = `its former name ${JSON.stringify(formerName)} is used by another ${kind} now`;
  const diagnostics = [
    ...found.moved.map((moved) => movedSince('run', change, moved, context)),
    ...found.unknown.map((path) =>
      notUndoable(change, `the former ${path} is unknown: the service did not return it`),
    ),
  ];
  if (isTaken) diagnostics.push(undoConflict(change, taken, 'name'));
  const name = isTaken ? undefined : formerName;
  const attributes = kind === 'project' && name !== undefined ? { ...restored, name } : restored;
  const renamed = kind === 'workspace' && typeof name === 'string' ? name : live.name;
  if (kind === 'workspace')
    diagnostics.push(...restoreRelations(attributes, { change, left, live: live.attributes }, context));
  if (Object.keys(attributes).length === 0 && renamed === live.name) return { resources: [], diagnostics };
  const identified = kind === 'team-access' && { project: before.project, team: before.team };
  return both(
    declareReverted(
      change,
      {
        name: kind === 'workspace' ? renamed : change.name,
        live,
        attributes: { ...attributes, ...identified } as Values,
        ...(renamed !== live.name && { renamedFrom: live.name }),
      },
      context,
    ),
    ...diagnostics,
  );
}

/** The service removed the workspaces that the run deleted from the lists, although no call of the lists did. */
function withoutDeleted(left: Values, { touched: { names }, nowCalled }: RevertContext): Values {
  const consumers = left[consumersPath];
  if (consumers === undefined) return left;
  const kept = listTexts(consumers).filter((id) => names.has(id) || nowCalled(id) === undefined);
  return { ...left, [consumersPath]: kept };
}

function holdsName(name: Value, { kind, id }: Resource, { touched }: RevertContext): boolean {
  const named = kind === 'project' ? (touched.projects ?? []) : [...touched.workspaces.values()];
  // The service does not distinguish upper and lower case in the names of projects.
  const isSame = (other: Value | undefined) => String(other).toLowerCase() === String(name).toLowerCase();
  const isCalled = (one: Resource) =>
    one.kind === 'project' ? isSame(one.attributes.name) : one.name === name;
  return named.some((one) => one.id !== id && isCalled(one));
}

/** Adapts the project, the lock and the consumers of a workspace to what exists now. Returns what cannot be restored. */
function restoreRelations(
  attributes: Record<string, Value>,
  { change, left, live }: { readonly change: JournaledChange; readonly left: Values; readonly live: Values },
  context: RevertContext,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const { lock } = attributes;
  if (lock !== undefined) attributes.lock = declaredLock(lock);
  const lost = lostProject(change, attributes, context, 'project');
  if (lost !== undefined) {
    diagnostics.push(lost);
    delete attributes.project;
  }
  if (left[consumersPath] === undefined) return diagnostics;
  const rule = attributes[consumersPath];
  const shared = sharingSwitchOf(live);
  delete attributes[consumersPath];
  if (sharingSwitchOf(attributes) !== undefined) {
    const what =
      'its former consumers are unknown: the service does not return them while the state is shared with all';
    if (!Array.isArray(change.before[consumersPath])) diagnostics.push(notUndoable(change, what));
  } else if (rule !== undefined && shared && attributes[shared] === undefined) {
    diagnostics.push(
      undoConflict(change, `the state is shared with ${sharedWith[shared]} now`, consumersPath),
    );
  } else if (rule !== undefined) {
    const { add, remove } = rule as unknown as Extract<ListRule, { readonly add: unknown }>;
    const called = add.map((id) => [id, context.nowCalled(id)] as const);
    const gone = called.flatMap(([id, name]) => (name === undefined ? id : []));
    diagnostics.push(...gone.map((id) => notUndoable(change, goneConsumer(id))));
    attributes[consumersPath] = { add: called.flatMap(([, name]) => name ?? []), remove };
  }
  return diagnostics;
}
