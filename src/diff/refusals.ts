/*
 * What the live state, or what a run leaves out, keeps from being done: deletions and renames of workspaces, because of
 * `guards.protect`, their resources or their lock; deletions of projects that are not empty; and changes that need another one.
 */

import { destroyDuration, destroyTime, inheritedDestroyDuration } from '../model/attributes.ts';
import { type Change, deletionSource, modeHints, type ProjectChange } from '../model/change.ts';
import type { Configuration, Protection } from '../model/configuration.ts';
import { type Diagnostic, note, problem, type Severity, showPlace, warning } from '../model/diagnostic.ts';
import { guardSelects } from '../model/selector.ts';
import {
  addressIn,
  type DeleteMode,
  isUncreatedProject,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { counted, firstNames, quote } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import { type Comparison, located, type Matched } from './comparison.ts';
import { type Inheritance, matchedStates } from './settings-in-effect.ts';

export interface Deletion {
  readonly live: WorkspaceResource;
  readonly mode: DeleteMode;
  readonly desired?: WorkspaceResource;
}

interface DeletionInput {
  readonly planned: readonly Matched<'workspace'>[];
  readonly deleted: readonly Deletion[];
  readonly inheritance: Inheritance;
}

export function protectionOf(
  { guards }: Pick<Configuration, 'guards'>,
  states: readonly WorkspaceResource[],
): Protection | undefined {
  return guards.protect.find(({ selector }) => states.some((workspace) => guardSelects(selector, workspace)));
}

interface Found {
  readonly workspace: DeletionInput;
  readonly projects: readonly ProjectChange[];
  readonly changes: readonly Change[];
  readonly after: readonly Resource[];
}

export function refusalsOf(comparison: Comparison, found: Found): Diagnostic[] {
  const { workspace, projects, changes, after } = found;
  return [
    ...checkProtection(comparison, workspace),
    ...checkDeletions(workspace.deleted, comparison.refusal),
    ...checkCreated(changes, comparison),
    ...checkSchedules(projects, comparison),
    ...checkEmptied(projects, after),
  ];
}

/**
 * Reports deletes and renames of workspaces that `protect` or `guards.protect` keeps, by their live values or by the planned ones, each also
 * with the key/value tags that it inherits before or after.
 * A declaration is not required: a workspace remains protected when its block is removed.
 */
function checkProtection(
  { refusal: severity, rootOf }: Comparison,
  { planned, deleted, inheritance }: DeletionInput,
): Diagnostic[] {
  const remedies = {
    tombstone: 'remove `state: absent`',
    prune: 'declare the workspace again',
    undo: 'leave it out with --only',
  };
  const deletions = deleted.map(({ live, desired }) => ({
    what: `${live.address} cannot be deleted`,
    desired,
    states: [live],
    at: { address: live.address, location: desired?.location },
    remedy: remedies[deletionSource(desired !== undefined, desired?.location)],
  }));
  const renames = planned.flatMap(({ desired, live, target }) => {
    if (!live || live.name === desired.name) return [];
    const what = `workspace ${quote(live.name)} cannot be renamed to ${quote(desired.name)}`;
    // Without renamed-from it would be created empty.
    const remedy = desired.location ? `keep the name ${quote(live.name)}` : remedies.undo;
    return { what, desired, states: [live, target], at: located(desired, 'renamed-from'), remedy };
  });
  return [...deletions, ...renames].flatMap(({ what, desired, states, at, remedy }) => {
    if (desired?.declared?.protect) {
      const hint = `${remedy}, or set \`protect: false\``;
      return problem('protected', `${what}: it declares \`protect: true\``, { severity, at, hint });
    }
    const protection = protectionOf(rootOf(at.address), matchedStates(states, inheritance));
    if (protection === undefined) return [];
    const { written, location, shownAt = location } = protection;
    // The entry has its location unless the diagnostic has that location.
    const guard = desired?.location ? `${written} (${showPlace(shownAt)})` : written;
    const hint = `${remedy}, or remove ${written} from guards.protect`;
    const options = { severity, at: { ...at, location: at.location ?? location }, hint };
    return problem('protected', `${what}: guards.protect has ${guard}`, options);
  });
}

/**
 * Reports problems of the deletions of a plan: a safe delete of a workspace that manages resources would fail, and so does
 * one of a locked workspace on live services. A forced delete abandons the resources and ignores the lock.
 */
function checkDeletions(deletions: Iterable<Deletion>, refusal: Severity): Diagnostic[] {
  const inOrder = [...deletions].sort((a, b) => (a.live.address < b.live.address ? -1 : 1));
  return inOrder.flatMap(({ live, mode, desired }): Diagnostic | Diagnostic[] => {
    const { address, attributes } = live;
    const at = { address, location: desired?.location };
    const hints = modeHints[deletionSource(desired !== undefined, desired?.location)];
    const { 'resource-count': count = 0 } = attributes;
    // An undo of a creation may delete a workspace that the same run locked, because it unlocks the workspace first.
    const lock = desired?.declared?.unlocks ? [] : lockedBy(live);
    if (mode === 'force') {
      const abandoned = `it manages ${counted(count, 'resource')}, which ${count === 1 ? 'is' : 'are'} not destroyed`;
      const reasons = [count > 0 ? abandoned : [], lock].flat();
      if (reasons.length === 0) return [];
      return warning('forced-delete', `${address} is force-deleted: ${reasons.join(', and ')}`, {
        at,
        hint: `${hints.safe} to keep the workspace while it manages resources`,
      });
    }
    if (count > 0)
      return problem(
        'manages-resources',
        `${address} cannot be deleted safely: it manages ${counted(count, 'resource')}`,
        {
          severity: refusal,
          at,
          hint: `destroy the resources first, or ${hints.force} to delete the workspace without destroying them`,
        },
      );
    // Whether a lock forbids a safe delete is not documented (interface, section 4.1), and the lock can end before the apply.
    return lock.map((reason) =>
      warning('locked-delete', `the service can refuse to delete ${address} safely: ${reason}`, {
        at,
        hint: 'unlock it before the apply, or ask the holder of the lock',
      }),
    );
  });
}

function lockedBy({ attributes: { lock } }: WorkspaceResource): string[] {
  if (!isRecord(lock) || lock.locked !== true) return [];
  const reason = typeof lock.reason === 'string' ? ` ("${lock.reason}")` : '';
  return [typeof lock.by === 'string' ? `it is locked by ${lock.by}${reason}` : `it is locked${reason}`];
}

function checkCreated(changes: readonly Change[], { chosen, leftOut }: Comparison): Diagnostic[] {
  return changes.flatMap(({ address, target, location }): Diagnostic | Diagnostic[] => {
    const project = String(target?.attributes.project);
    // It is created, or another problem keeps it from being created.
    if (!isUncreatedProject(project) || chosen(addressIn(project))) return [];
    const needed = addressIn(project);
    const { code, by, hint } = leftOut(needed);
    const message = `${address} needs ${needed}, which does not exist yet and which ${by} leaves out`;
    return problem(code, message, { at: { address, location }, hint });
  });
}

/** A workspace gets its own destroy schedule before that of its project changes, unless it is left out: it would inherit the new one. */
function checkSchedules(
  changes: readonly ProjectChange[],
  { configuration, live, chosen, leftOut }: Comparison,
): Diagnostic[] {
  const rescheduled = changes.filter(({ fields }) => fields.some(({ path }) => path === destroyDuration));
  if (rescheduled.length === 0) return [];
  return [...configuration.desired.resources.values()].flatMap((workspace) => {
    const { [destroyDuration]: duration, [destroyTime]: time } = workspace.attributes;
    if (workspace.kind !== 'workspace' || chosen(workspace.address) || !(duration || time)) return [];
    const { attributes } = live.state.resources.get(workspace.address) ?? workspace;
    const change = rescheduled.find(({ live: project }) => project?.id === attributes.project);
    if (change === undefined || attributes[inheritedDestroyDuration] === undefined) return [];
    const { code, by, hint } = leftOut(workspace.address);
    const message = `${change.address} changes ${destroyDuration}, and ${workspace.address} would inherit it: ${by} leaves out its own destroy schedule`;
    return problem(code, message, { at: change, hint });
  });
}

/** The service refuses to delete a project that has workspaces or Stacks, so a plan that would leave some in it fails. */
function checkEmptied(changes: readonly ProjectChange[], after: readonly Resource[]): Diagnostic[] {
  const workspaces = resourcesOf(after, 'workspace');
  return changes.flatMap(({ action, address, live, location }): Diagnostic | Diagnostic[] => {
    const inside = workspaces.filter(({ attributes }) => attributes.project === live?.id);
    const names = inside.map(({ name }) => name).sort();
    const { 'stack-count': stacks = 0 } = live?.attributes ?? {};
    if (action !== 'delete' || names.length + stacks === 0) return [];
    const left = [
      names.length > 0 ? `${counted(names.length, 'workspace')} (${firstNames(names, 5)})` : [],
      stacks > 0 ? counted(stacks, 'Stack') : [],
    ].flat();
    return problem(
      'project-not-empty',
      `${address} cannot be deleted: ${left.join(' and ')} would be left in it`,
      {
        at: { address, location },
        hint:
          stacks > 0
            ? 'move or delete its Stacks first; Attune does not manage Stacks'
            : 'move or delete these workspaces in the same plan',
      },
    );
  });
}

/** In a copy of an organization none ever had the former name. */
export function noFormer(desired: Resource, name: string): Diagnostic {
  const message = `neither "${name}" nor its former name "${desired.declared?.renamedFrom}" is live`;
  return note('renamed-from', message, { at: located(desired, 'renamed-from') });
}
