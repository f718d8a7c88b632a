import { holderText, lockHolder } from '../../live/included.ts';
import { sharingSwitchOf } from '../../model/attributes.ts';
import { deletionSource, modeHints, withoutSafeDelete } from '../../model/change.ts';
import type { PlannedChange, WriteRequest } from '../../model/plan.ts';
import type { WorkspaceResource } from '../../model/state.ts';
import { counted } from '../../model/text.ts';
import { isRecord, type Value, type Values } from '../../model/value.ts';
import type { Facts } from '../../plan/kinds.ts';
import { isLocked, readConsumerIds, readRetentionPolicy } from '../../relations/relations.ts';
import { isMissingEndpoint } from '../../service/capabilities.ts';
import type { ServiceReader } from '../../service/client.ts';
import { type Document, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import {
  hasDetail,
  ifFound,
  isNotFound,
  isStatePending,
  ServiceError,
  type ServiceErrorDetail,
  withHint,
} from '../../service/service-error.ts';
import { changesSince, requireUnchanged, withoutHandedDown } from '../changed-since-plan.ts';
import { isGone, presentFacts, readIfThere } from '../present-values.ts';
import { answeredValue } from './compare-answer.ts';
import {
  alreadyDone,
  isFresh,
  type OperationHandler,
  type PreparedCall,
  type SendContext,
} from './operation.ts';

/**
 * Deletes a workspace after reading it again, even if the plan is recent: if what allowed the deletion has changed, it may
 * not be the workspace that was planned. A workspace that no longer exists counts as deleted.
 */
const deleteWorkspace: OperationHandler = {
  async send(prepared, context) {
    const { call, change, id: workspace } = prepared;
    const { reader, dialect, notice, keep, handedDown } = context;
    // Nothing is read for a deletion that cannot be sent.
    if (call.mode !== 'force' && reader.capabilities.lacks('safe-delete'))
      throw noSafeDelete(call, modesOf(change).force);
    const facts = factsOf(change);
    // The journal needs the key/value tags, too.
    const bindings = keep !== undefined && dialect === 'terraform';
    const present = await presentFacts(workspace, facts, { reader, dialect, bindings });
    if (present === undefined) {
      notice(alreadyDone(change, 'deleted'));
      return undefined;
    }
    const { now } = present;
    requireUnchanged(change, deletionChanges(withoutHandedDown(facts, now, handedDown), now));
    if (keep) await keep(await valuesToKeep(present.workspace, reader));
    return sendDelete(prepared, context);
  },
};

/** The facts of a change. A forced deletion depends on the number of resources, too: it does not destroy them. */
function factsOf({ facts = {}, mode, resources }: PlannedChange): Facts {
  return mode === 'force' && resources !== undefined ? { ...facts, 'resource-count': resources } : facts;
}

/**
 * The facts of a deletion that have changed. A new lock shows that another user works on the workspace, and a forced
 * deletion would ignore it; a removed one does not forbid the deletion.
 */
function deletionChanges({ lock, ...facts }: Facts, now: Facts): string[] {
  const isNewlyLocked = lock !== undefined && !isLocked(lock) && isLocked(now.lock);
  return [changesSince(facts, now), isNewlyLocked ? `it was locked${lockedHow(now.lock)}` : []].flat();
}

function lockedHow(lock: Value | undefined): string {
  const { by, reason } = isRecord(lock) ? lock : {};
  return [by ? ` by ${by}` : '', reason ? ` (${reason})` : ''].join('');
}

async function valuesToKeep(
  { id = '', name, attributes }: WorkspaceResource,
  reader: ServiceReader,
): Promise<Values> {
  const kept: Record<string, Value> = { ...attributes, name };
  if (attributes['data-retention'] !== null) kept['data-retention'] = await readRetentionPolicy(reader, id);
  // While a switch shares the state, the service does not return the stored consumers.
  if (sharingSwitchOf(attributes) === undefined) {
    const consumers = await ifFound(readConsumerIds(reader, id));
    if (consumers) kept['remote-state-consumers'] = consumers.sort();
  }
  return kept;
}

/** Delays in milliseconds between retries while the service processes the workspace's newest state. */
const processingWaits = [2000, 4000, 8000, 16_000, 30_000, 30_000];

/** A 404 for an object that still exists means that the token may not delete it. */
export async function deleteOnce(
  { call, change }: PreparedCall,
  path: string,
  { send, reader, notice }: SendContext,
): Promise<Document | undefined> {
  try {
    return await send(call, { lookUp: async () => ((await isGone(path, reader)) ? {} : undefined) });
  } catch (error) {
    if (!isNotFound(error) || !(await isGone(path, reader))) throw error;
    notice(alreadyDone(change, change.kind === 'team-access' ? 'revoked' : 'deleted'));
    return undefined;
  }
}

function modesOf({ declared, location }: PlannedChange) {
  return modeHints[deletionSource(declared !== undefined, location)];
}

async function sendDelete(prepared: PreparedCall, context: SendContext): Promise<Document | undefined> {
  const { call, change, id: workspace } = prepared;
  const { send, reader, clock } = context;
  const path = pathTo('showWorkspace', { workspace });
  const words = modesOf(change);
  const isSafe = call.mode !== 'force';
  const { capabilities } = reader;
  const sendKnown: typeof send = async (...request) => {
    const answer = await send(...request);
    if (isSafe && !capabilities.lacks('safe-delete')) capabilities.recordOffered('safe-delete');
    return answer;
  };
  for (const wait of [...processingWaits, undefined]) {
    try {
      return await deleteOnce(prepared, path, { ...context, send: sendKnown });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (isSafe && isMissingEndpoint(error)) {
        capabilities.recordMissing('safe-delete', error);
        throw noSafeDelete(call, words.force, error.status);
      }
      if (error.status === 403 && !isSafe)
        throw withHint(error, `only organization owners may force delete by default; ${words.safe}`);
      if (error.status !== 409) throw error;
      if (wait === undefined || !hasDetail(error, /being processed/i))
        throw await explained(error, workspace, reader, words.force);
      await clock.sleep(wait);
    }
  }
  return undefined;
}

function noSafeDelete(request: WriteRequest, force: string, status = 404): ServiceError {
  return new ServiceError(
    request,
    status,
    [{ detail: 'this service does not offer safe delete' }],
    withoutSafeDelete(force),
  );
}

/** Only the text of a conflict shows its reason, and it names neither the lock's holder nor the number of resources. */
async function explained(error: ServiceError, workspace: string, reader: ServiceReader, force: string) {
  if (hasDetail(error, /being processed/i))
    return withHint(error, 'run again in a few minutes: the service is still processing its newest state');
  const now = await readConflict(workspace, reader, error.errors);
  if (hasDetail(error, /locked/i)) return withHint(error, 'unlock it first', now?.lockDetails);
  const hint = `destroy its resources first, or ${force} to delete it with its resources unmanaged`;
  return withHint(error, hint, now?.resourceDetails);
}

/** @param reported the text of the service's error, which is not repeated */
async function readConflict(id: string, reader: ServiceReader, reported: readonly ServiceErrorDetail[] = []) {
  const path = pathTo('showWorkspace', { workspace: id });
  const document = await readIfThere(path, reader, { include: 'locked_by' });
  const workspace = resourceOf(document);
  if (document === undefined || workspace === undefined) return undefined;
  const { locked, 'locked-reason': reason, 'resource-count': count } = workspace.attributes;
  const holder = lockHolder(workspace);
  const isReported = reported.some(({ detail }) => holder && detail?.includes(holder.name ?? holder.id));
  return {
    document,
    locked: locked === true,
    lockDetails: [
      holder && !isReported ? { detail: `it is locked by ${holderText(holder)}` } : [],
      locked === true && reason ? { detail: `reason: ${reason}` } : [],
    ].flat(),
    resourceDetails:
      typeof count === 'number' && count > 0 ? [{ detail: `it manages ${counted(count, 'resource')}` }] : [],
  };
}

/** An unlock waits for the newest state version to be finished (interface, section 3): half a minute by the backoff. */
const unlockTries = 9;

const lockWorkspace = changeLock(true, {});
const unlockWorkspace = changeLock(false, { tries: unlockTries });

/** Removes the lock of any user or run, but not one that another user has set since the plan. */
const forceUnlockWorkspace: OperationHandler = {
  ...changeLock(false, {}),
  async recheck({ change, id }, context) {
    if (isFresh(context)) return;
    const present = await presentFacts(id, {}, context);
    const now = present?.now.lock;
    if (isOther(change.facts?.lock, now)) requireUnchanged(change, ['its lock is another one now']);
  },
};

export const lockAndDeleteOperations = {
  lockWorkspace,
  unlockWorkspace,
  forceUnlockWorkspace,
  deleteWorkspace,
};

function isOther(before: Value | undefined, now: Value | undefined): boolean {
  if (!isRecord(before) || !isRecord(now) || now.locked !== true) return false;
  return (['by', 'reason'] as const).some((key) => before[key] !== now[key]);
}

/**
 * Locks or unlocks a workspace as declared; it succeeds if another user has done so since the plan. If another user
 * holds the lock, the change fails and names that user.
 */
function changeLock(locks: boolean, sending: { readonly tries?: number }): OperationHandler {
  return {
    ...answeredValue('lock', ({ attributes: { locked } }) =>
      typeof locked === 'boolean' ? { locked } : undefined,
    ),
    async send({ call, change, id }, { send, reader, notice }) {
      const lookUp = async () => {
        const now = await readConflict(id, reader);
        return now?.locked === locks ? { document: now.document } : undefined;
      };
      try {
        return await send(call, { ...sending, lookUp });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (isStatePending(error)) throw withHint(error, statePending);
        if (error.status !== 409) throw error;
        const now = await readConflict(id, reader, error.errors);
        if (now?.locked !== locks) throw withHint(error, locks ? tryAgain : askHolder, now?.lockDetails);
        notice(alreadyDone(change, locks ? 'locked' : 'unlocked'));
        return now.document;
      }
    },
  };
}

const statePending = 'check its state versions and unlock it later: its newest state is still being saved';
const tryAgain = 'run `attune workspace show` to see its lock';
const askHolder =
  'ask the holder to unlock it, or run `attune workspace unlock --force`, which requires admin access';
