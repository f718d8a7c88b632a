import { isRecord } from '../../model/value.ts';
import { type ErrorObject, invalid, refuseInvalid, reject } from '../http/rejection.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import type { LockRecord, StateRecord, WorkspaceRecord } from '../store/records.ts';
import { answerWorkspace, findWorkspace, saveWorkspace } from './find-workspace.ts';

/** POST .../actions/lock (interface, section 3) */
export function lockWorkspace(request: ServiceRequest) {
  const workspace = findWorkspace(request, 'admin');
  const reason = readReason(request.body);
  if (workspace.lock)
    throw reject(409, `Unable to lock workspace. The workspace is already locked${holder(workspace.lock)}.`);
  const lock: LockRecord = { by: { type: 'users', id: request.caller.user }, reason };
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, lock }));
}

/** POST .../actions/unlock: by the one who locked, once the state is saved */
export function unlockWorkspace(request: ServiceRequest) {
  const workspace = findWorkspace(request, 'admin');
  if (!workspace.lock) throw reject(409, 'Unable to unlock workspace. The workspace is already unlocked.');
  if (workspace.lock.by.id !== request.caller.user) {
    throw reject(
      409,
      `Unable to unlock workspace. The workspace is locked${holder(workspace.lock)} and may not be unlocked except by them.`,
    );
  }
  if (workspace.state.intermediate === 'pending') {
    throw reject(503, "Unable to unlock workspace. The workspace's latest state version is still pending.");
  }
  const state = finalizedState(request, workspace);
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, lock: null, state }));
}

/** POST .../actions/force-unlock: whoever holds the lock */
export function forceUnlockWorkspace(request: ServiceRequest) {
  const workspace = findWorkspace(request, 'admin');
  if (!workspace.lock)
    throw reject(409, 'Unable to force unlock workspace. The workspace is already unlocked.');
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, lock: null }));
}

/** Unlocking makes the latest finalized intermediate state version the current one. */
function finalizedState({ world }: ServiceRequest, { id, state }: WorkspaceRecord): StateRecord {
  if (state.intermediate !== 'finalized') return state;
  return { ...state, id: world.store.nextId('sv', id), createdAt: world.now(), intermediate: 'none' };
}

/** Plain as documented; the official Go client wraps it as JSON:API attributes. */
function readReason(body: unknown): string {
  if (!isRecord(body)) return '';
  const data = isRecord(body.data) && isRecord(body.data.attributes) ? body.data.attributes : body;
  const reason = data.reason ?? '';
  const errors: ErrorObject[] = typeof reason === 'string' ? [] : [invalid('/reason', 'must be a string')];
  refuseInvalid(errors);
  return String(reason);
}

const kinds = { users: 'User', teams: 'Team', runs: 'Run' } as const;

function holder(lock: LockRecord): string {
  return ` by ${kinds[lock.by.type]} ${lock.by.id}`;
}
