/*
 * What keeps a workspace from being deleted or renamed: `guards.protect`, its resources, and its lock.
 */

import { deletionSource, modeHints } from '../model/change.ts';
import type { Configuration, Protection } from '../model/configuration.ts';
import { type Diagnostic, problem, type Severity, showPlace, warning } from '../model/diagnostic.ts';
import { guardSelects } from '../model/selector.ts';
import type { DeleteMode, WorkspaceResource } from '../model/state.ts';
import { counted, quote } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import { type Comparison, located, type Matched } from './comparison.ts';
import { type Inheritance, matchedStates } from './settings-in-effect.ts';

/** A live workspace that the plan deletes. Nothing declares a pruned one. */
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

/** The entry of `guards.protect` that matches one of the states of a workspace. */
export function protectionOf(
  { guards }: Pick<Configuration, 'guards'>,
  states: readonly WorkspaceResource[],
): Protection | undefined {
  return guards.protect.find(({ selector }) => states.some((workspace) => guardSelects(selector, workspace)));
}

/**
 * Reports deletes and renames of workspaces that `guards.protect` matches, by their live values or by the planned ones, each also
 * with the key/value tags that it inherits before or after.
 * A declaration is not required: a workspace remains protected when its block is removed.
 */
export function checkProtection(
  { refusal: severity, rootOf }: Comparison,
  { planned, deleted, inheritance }: DeletionInput,
): Diagnostic[] {
  const refused = (
    what: string,
    {
      desired,
      states,
    }: { readonly desired?: WorkspaceResource; readonly states: readonly WorkspaceResource[] },
    { at, remedy }: { readonly at: Pick<Diagnostic, 'address' | 'location'>; readonly remedy: string },
  ): Diagnostic[] => {
    const protection = protectionOf(rootOf(at.address ?? ''), matchedStates(states, inheritance));
    if (protection === undefined) return [];
    const { written, location } = protection;
    // The entry has its location unless the diagnostic has that location.
    const guard = desired?.location ? `${written} (${showPlace(location)})` : written;
    const options = {
      severity,
      at: { location, ...at },
      hint: `${remedy}, or remove ${written} from guards.protect`,
    };
    return [problem('protected', `${what}: guards.protect has ${guard}`, options)];
  };
  const remedies = {
    tombstone: 'remove `state: absent`',
    prune: 'declare the workspace again',
    undo: 'leave it out with --only',
  };
  const deletions = deleted.flatMap(({ live, desired }) =>
    refused(
      `${live.address} cannot be deleted`,
      { ...(desired && { desired }), states: [live] },
      {
        at: { address: live.address, ...(desired?.location && { location: desired.location }) },
        remedy: remedies[deletionSource(desired !== undefined, desired?.location)],
      },
    ),
  );
  const renames = planned.flatMap(({ desired, live, target }) =>
    live && live.name !== desired.name
      ? refused(
          `workspace ${quote(live.name)} cannot be renamed to ${quote(desired.name)}`,
          { desired, states: [live, target] },
          {
            at: located(desired, 'renamed-from'),
            remedy: desired.location ? 'remove renamed-from' : remedies.undo,
          },
        )
      : [],
  );
  return [...deletions, ...renames];
}

/**
 * Reports problems of the deletions of a plan: a safe delete of a workspace that manages resources would fail, and so does
 * one of a locked workspace on live services. A forced delete abandons the resources and ignores the lock.
 *
 * @param refusal the severity of a deletion that cannot be made
 */
export function checkDeletions(deletions: Iterable<Deletion>, refusal: Severity): Diagnostic[] {
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
      const reasons = [...(count > 0 ? [abandoned] : []), ...lock];
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
