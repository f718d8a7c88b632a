import type { FoundWorkspace, WorkspaceChoice } from '../../live/find-workspaces.ts';
import { holderText } from '../../live/included.ts';
import { serviceSource } from '../../live/read-live.ts';
import { liveOf } from '../../live/snapshot.ts';
import { bareConfiguration } from '../../model/configuration.ts';
import { type Diagnostic, note, warning } from '../../model/diagnostic.ts';
import type { Resource, WorkspaceResource } from '../../model/state.ts';
import { withParts } from '../../plan/divide.ts';
import type { RunContext } from '../context.ts';
import { planResolved } from '../make-plan.ts';
import type { Planned } from '../plan-roots.ts';
import { findWorkspacesOf, openTarget, type TargetOptions } from './find.ts';

export type LockRequest =
  | { readonly locks: true; readonly reason?: string | undefined }
  | {
      readonly locks: false;
      /** Leaves the locks with any other reason. */
      readonly reason?: string | undefined;
      /** Removes the locks of other users, too. */
      readonly force?: boolean | undefined;
    };

/** @param use gets the plan, and whether every lock that is asked for can be set */
export async function withLockPlan<Result>(
  choice: WorkspaceChoice,
  request: LockRequest,
  options: TargetOptions,
  context: RunContext,
  use: (planned: Planned, isPossible: boolean) => Promise<Result>,
): Promise<Result> {
  await using target = await openTarget(options, context);
  const { organization, connection, configuration: files } = target;
  const { client, address } = connection;
  const readAt = context.io.clock.now();
  const force = !request.locks && request.force === true;
  const found = await findWorkspacesOf(choice, target, { runs: force });
  const { chosen, left } = selected(found, request, choice);
  const declared = new Map(
    chosen.map(({ resource }) => [resource.address, declaredLock(resource, request)] as const),
  );
  const configuration = {
    ...bareConfiguration(organization, files.folder),
    file: files.file,
    service: files.service,
    desired: { organization, resources: declared },
  };
  const resources = chosen.map(({ resource }) => resource);
  const live = liveOf(organization, resources, {
    dialect: files.service.dialect ?? client.capabilities.dialect() ?? 'iac',
    names: new Map(resources.map(({ id = '', name }) => [id, name])),
    missing: client.capabilities.missing(),
  });
  const source = { ...serviceSource(client), read: async () => live };
  const { plan } = await planResolved(configuration, { source, address });
  context.progress.end();
  const isNone = !request.locks && chosen.length + left.length === 0;
  const notes = [
    ...(isNone ? [noLock(request)] : left),
    ...(force ? [...forcedUnlocks(chosen), ...unfinishedRuns(chosen)] : []),
  ];
  const parts = withParts(plan, [{ ...plan, diagnostics: [...plan.diagnostics, ...notes] }]);
  // An existing lock does not protect the caller.
  const isPossible = !left.some(({ code }) => code === 'already-locked');
  return await use({ configuration, connection, readAt, ...parts }, isPossible);
}

function declaredLock({ kind, address, name }: WorkspaceResource, request: LockRequest): Resource {
  const { locks, reason } = request;
  const lock = locks && reason !== undefined ? { locked: locks, reason } : { locked: locks };
  const resource = { kind, address, name, attributes: { lock } };
  return !locks && request.force ? { ...resource, declared: { forcesUnlock: true } } : resource;
}

function selected(found: readonly FoundWorkspace[], request: LockRequest, choice: WorkspaceChoice) {
  const { isOpen, names } = choice;
  const { locks, reason } = request;
  const isLeft = ({ lock }: FoundWorkspace) => {
    if (locks || !lock.locked) return locks === lock.locked;
    return reason !== undefined && (lock.reason ?? '') !== reason;
  };
  const isNamed = !isOpen && names.length > 0;
  return {
    chosen: found.filter((one) => !isLeft(one)),
    left: found
      // A selection can have all workspaces, most of which have no lock.
      .filter((one) => isLeft(one) && (isNamed || one.lock.locked))
      .map((one) => (locks ? alreadyLocked(one) : otherLock(one))),
  };
}

function noLock({ reason }: LockRequest): Diagnostic {
  const how = reason === undefined ? '' : ` with the reason "${reason}"`;
  return note('nothing-matched', `none of the selected workspaces is locked${how}`);
}

function alreadyLocked({ resource: { name, address }, lock }: FoundWorkspace): Diagnostic {
  return warning('already-locked', `cannot lock "${name}": it is already locked${holderOf(lock)}`, {
    at: { address },
  });
}

function holderOf({ by, reason }: FoundWorkspace['lock']): string {
  return `${by === undefined ? '' : ` by ${holderText(by)}`}${reason === undefined ? '' : `; reason: ${reason}`}`;
}

function otherLock({ resource: { name, address }, lock }: FoundWorkspace): Diagnostic {
  const { locked, reason = 'unknown' } = lock;
  const why = locked ? `it is locked with another reason: ${reason}` : 'it is not locked';
  return note('other-lock', `"${name}" is left as it is: ${why}`, { at: { address } });
}

function forcedUnlocks(found: readonly FoundWorkspace[]): Diagnostic[] {
  const locked = found.filter(({ lock }) => lock.locked);
  return locked.map(({ resource: { name, address }, lock }) => {
    const message = `"${name}" is force-unlocked: it is locked${holderOf(lock)}`;
    return warning('forced-unlock', message, { at: { address } });
  });
}

/** Statuses of runs that have ended, and of a saved plan, which holds no lock. */
const ended: ReadonlySet<unknown> = new Set([
  'applied',
  'canceled',
  'discarded',
  'errored',
  'force_canceled',
  'planned_and_finished',
  'planned_and_saved',
  'policy_soft_failed',
]);

function unfinishedRuns(found: readonly FoundWorkspace[]): Diagnostic[] {
  return found.flatMap(({ run, resource: { name, address } }): Diagnostic | Diagnostic[] => {
    const { id, status } = run ?? {};
    if (status === undefined || ended.has(status)) return [];
    return warning(
      'unfinished-run',
      `the run ${id} of "${name}" is not finished (${status}): without the lock, another run can start beside it`,
      { at: { address }, hint: 'wait for the run to end, or cancel it first' },
    );
  });
}
