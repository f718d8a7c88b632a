import { isRecord } from '../../model/value.ts';
import { mayForceDelete } from '../callers.ts';
import { type Answer, noContent, notFound, reject, rejectInvalid } from '../http/responses.ts';
import type { RouteSet, ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import { dropUnusedTags } from '../rules/tag-rules.ts';
import type { StoredLock, StoredWorkspace } from '../store/records.ts';
import { answerSaved, onNamedWorkspace, onWorkspace } from './finders.ts';
import { keepDeleted } from './recoverable-items.ts';

export const workspaceActionRoutes: RouteSet = {
  interface: [
    ...onNamedWorkspace('DELETE', '', 'read', forceDelete),
    ...onNamedWorkspace('POST', '/actions/safe-delete', 'admin', safeDelete),
    onWorkspace('POST', '/actions/lock', 'admin', lock),
    onWorkspace('POST', '/actions/unlock', 'admin', unlock),
    onWorkspace('POST', '/actions/force-unlock', 'admin', (request, workspace) => {
      if (!workspace.lock)
        throw reject(409, 'Unable to force unlock workspace. The workspace is already unlocked.');
      return answerSaved(request, { ...workspace, lock: null });
    }),
    onWorkspace('PATCH', '/relationships/ssh-key', 'admin', assignSshKey),
  ],
};

/** Ignores managed resources (interface, section 4.2): for owners, unless the organization allows it to others. */
function forceDelete(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  const organization = request.world.store.get('organizations', workspace.organization);
  if (!mayForceDelete(request.caller, workspace, organization))
    throw reject(403, 'You are not authorized to force delete this workspace.');
  return removeWorkspace(request, workspace);
}

/** The live service has two reasons to refuse that the interface lacks. Only the texts distinguish them. */
function safeDelete(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  const { lock: held, state } = workspace;
  const isLive = request.world.dialect === 'terraform';
  if (isLive && held)
    throw reject(409, 'Workspace is locked and must be unlocked before it can be safe deleted.');
  if (isLive && state.processing) {
    throw reject(
      409,
      "Workspace's latest state version is still being processed to discover resources; please try again later.",
    );
  }
  if (state.resourceCount > 0)
    throw reject(409, 'Workspace cannot be safely deleted because it is still managing resources.');
  return removeWorkspace(request, workspace);
}

function removeWorkspace(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  request.world.store.remove('workspaces', workspace.id);
  keepDeleted(request, workspace);
  dropUnusedTags(request.world, workspace.organization, workspace.tags);
  return noContent;
}

function lock(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  const { world, caller, body } = request;
  const reason = readReason(body);
  if (workspace.lock)
    throw reject(409, `Unable to lock workspace. The workspace is already locked${holder(workspace.lock)}.`);
  const { id, type } = caller.holder;
  // On the live service, the token of a team locks as the team.
  const isTeam = world.dialect === 'terraform' && type === 'teams';
  const by = isTeam ? ({ id, type } as const) : ({ id: caller.user, type: 'users' } as const);
  return answerSaved(request, { ...workspace, lock: { by, reason } });
}

/** A plain member as documented; the official Go client sends it in JSON:API attributes. */
function readReason(body: unknown): string {
  if (!isRecord(body)) return '';
  const { reason } = isRecord(body.data) && isRecord(body.data.attributes) ? body.data.attributes : body;
  if (typeof (reason ?? '') !== 'string') throw rejectInvalid('/reason', 'must be a string');
  return String(reason ?? '');
}

/** By the holder of the lock, once the state is saved: then the latest intermediate state version is the current one. */
function unlock(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  const { world, caller } = request;
  const { id, lock: held, state } = workspace;
  const refuse = (status: number, why: string) =>
    reject(status, `Unable to unlock workspace. The workspace${why}`);
  if (!held) throw refuse(409, ' is already unlocked.');
  if (![caller.user, caller.holder.id].includes(held.by.id))
    throw refuse(409, ` is locked${holder(held)} and may not be unlocked except by them.`);
  if (state.intermediate === 'pending') throw refuse(503, "'s latest state version is still pending.");
  const current =
    state.intermediate === 'finalized'
      ? { id: world.store.nextId('sv', id), createdAt: world.now(), intermediate: 'none' as const }
      : {};
  return answerSaved(request, { ...workspace, lock: null, state: { ...state, ...current } });
}

const kinds = { users: 'User', teams: 'Team', runs: 'Run' } as const;

function holder({ by }: StoredLock): string {
  return ` by ${kinds[by.type]} ${by.id}`;
}

function assignSshKey(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  const { id } = readResource(request.body, 'workspaces').attributes;
  if (id !== null && typeof id !== 'string')
    throw rejectInvalid('/data/attributes/id', 'must be the id of an SSH key, or null');
  const key = id === null ? null : request.world.store.get('sshKeys', id);
  if (key?.organization !== workspace.organization && key !== null) throw notFound();
  return answerSaved(request, { ...workspace, sshKey: id });
}
