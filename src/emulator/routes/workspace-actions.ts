import { isRecord } from '../../model/value.ts';
import { mayForceDelete } from '../callers.ts';
import { deleteOlder, dontDelete, retentionType } from '../documents/answered-resource.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
  reject,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import { dropUnusedTags } from '../rules/tag-rules.ts';
import type {
  StoredLock,
  StoredOrganization,
  StoredRetention,
  StoredState,
  StoredWorkspace,
} from '../store/records.ts';
import { hasDataRetention } from '../world.ts';
import {
  answerWorkspace,
  findOwned,
  findRequestedOrganization,
  findRequestedWorkspace,
  onNamedWorkspace,
  onWorkspace,
  saveWorkspace,
} from './find-requested.ts';
import { keepDeleted } from './recoverable-items.ts';

/** POST .../actions/safe-delete: requires that the workspace manages no resources (interface, section 4.2). */
function postSafeDelete(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  const problem = safeDeleteProblem(workspace, request.world.dialect === 'terraform');
  if (problem) throw reject(409, problem);
  removeWorkspace(request, workspace);
  return noContent;
}

/** DELETE: ignores managed resources; for owners, unless the organization allows it to others. */
function deleteRequestedWorkspace(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'read');
  const organization = request.world.store.get('organizations', workspace.organization);
  if (!mayForceDelete(request.caller, workspace, organization)) {
    throw reject(403, 'You are not authorized to force delete this workspace.');
  }
  removeWorkspace(request, workspace);
  return noContent;
}

/** The live service has two further reasons to refuse, which only their text distinguishes. */
function safeDeleteProblem(workspace: StoredWorkspace, live: boolean): string | undefined {
  if (live && workspace.lock)
    return 'Workspace is locked and must be unlocked before it can be safe deleted.';
  if (live && workspace.state.processing) {
    return "Workspace's latest state version is still being processed to discover resources; please try again later.";
  }
  return workspace.state.resourceCount > 0
    ? 'Workspace cannot be safely deleted because it is still managing resources.'
    : undefined;
}

function removeWorkspace(request: ServiceRequest, workspace: StoredWorkspace): void {
  request.world.store.remove('workspaces', workspace.id);
  keepDeleted(request, workspace);
  dropUnusedTags(request.world, workspace.organization, workspace.tags);
}

/** POST .../actions/lock (interface, section 3) */
function postLock(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  const reason = readReason(request.body);
  if (workspace.lock)
    throw reject(409, `Unable to lock workspace. The workspace is already locked${holder(workspace.lock)}.`);
  const lock: StoredLock = { by: lockHolder(request), reason };
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, lock }));
}

/** On the live service, the token of a team locks as the team. */
function lockHolder({ world, caller }: ServiceRequest): StoredLock['by'] {
  const { id, type } = caller.holder;
  return world.dialect === 'terraform' && type === 'teams'
    ? { id, type }
    : { id: caller.user, type: 'users' };
}

/** POST .../actions/unlock: by the holder of the lock, once the state is saved */
function postUnlock(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  if (!workspace.lock) throw reject(409, 'Unable to unlock workspace. The workspace is already unlocked.');
  const { user, holder: own } = request.caller;
  if (![user, own.id].includes(workspace.lock.by.id)) {
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

/** POST .../actions/force-unlock: for any holder of the lock */
function postForceUnlock(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  if (!workspace.lock)
    throw reject(409, 'Unable to force unlock workspace. The workspace is already unlocked.');
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, lock: null }));
}

/** Unlocking makes the latest finalized intermediate state version the current one. */
function finalizedState({ world }: ServiceRequest, { id, state }: StoredWorkspace): StoredState {
  if (state.intermediate !== 'finalized') return state;
  return { ...state, id: world.store.nextId('sv', id), createdAt: world.now(), intermediate: 'none' };
}

/** A plain member as documented; the official Go client sends it in JSON:API attributes. */
function readReason(body: unknown): string {
  if (!isRecord(body)) return '';
  const data = isRecord(body.data) && isRecord(body.data.attributes) ? body.data.attributes : body;
  const reason = data.reason ?? '';
  const errors: ErrorObject[] = typeof reason === 'string' ? [] : [invalid('/reason', 'must be a string')];
  refuseInvalid(errors);
  return String(reason);
}

const kinds = { users: 'User', teams: 'Team', runs: 'Run' } as const;

function holder(lock: StoredLock): string {
  return ` by ${kinds[lock.by.type]} ${lock.by.id}`;
}

/** PATCH .../relationships/ssh-key: an id assigns the key, null removes it (interface, section 4.4) */
function patchAssignedSshKey(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  const { id } = readResource(request.body, 'workspaces').attributes;
  if (id === null) return answerWorkspace(request, saveWorkspace(request, { ...workspace, sshKey: null }));
  if (typeof id !== 'string') {
    refuseInvalid([invalid('/data/attributes/id', 'must be the id of an SSH key, or null')]);
    throw notFound();
  }
  const key = request.world.store.get('sshKeys', id);
  if (key?.organization !== workspace.organization) throw notFound();
  return answerWorkspace(request, saveWorkspace(request, { ...workspace, sshKey: key.id }));
}

export const workspaceActionRoutes: readonly Route[] = [
  ...onNamedWorkspace('DELETE', '', deleteRequestedWorkspace),
  ...onNamedWorkspace('POST', '/actions/safe-delete', postSafeDelete),
  onWorkspace('POST', '/actions/lock', postLock),
  onWorkspace('POST', '/actions/unlock', postUnlock),
  onWorkspace('POST', '/actions/force-unlock', postForceUnlock),
  onWorkspace('PATCH', '/relationships/ssh-key', patchAssignedSshKey),
];

type Owner = StoredWorkspace | StoredOrganization;

/** How a workspace or an organization is found and stored. */
interface Holder<Record extends Owner> {
  readonly path: string;
  readonly find: (request: ServiceRequest, needed: 'read' | 'admin') => Record;
  readonly save: (request: ServiceRequest, record: Record, retention: StoredRetention | null) => Record;
}

const path = '/relationships/data-retention-policy';

const workspaces: Holder<StoredWorkspace> = {
  path: `/workspaces/:workspace_id${path}`,
  find: findRequestedWorkspace,
  save: (request, workspace, retention) => saveWorkspace(request, { ...workspace, retention }),
};

const organizations: Holder<StoredOrganization> = {
  path: `/organizations/:organization${path}`,
  find: (request, needed) => (needed === 'admin' ? findOwned(request) : findRequestedOrganization(request)),
  save: ({ world }, organization, retention) => {
    const saved = { ...organization, retention };
    world.store.put('organizations', saved);
    return saved;
  },
};

/** The hosted offering has no data retention. */
function routesOf<Record extends Owner>({ path, find, save }: Holder<Record>): readonly Route[] {
  const found = (request: ServiceRequest, needed: 'read' | 'admin'): Record => {
    if (!hasDataRetention(request.world)) throw notFound();
    return find(request, needed);
  };
  const show = (request: ServiceRequest) => answerPolicy(request, found(request, 'read'));
  /** Creates or updates. The id is kept, even if the kind changes. */
  const write = (request: ServiceRequest) => {
    const record = found(request, 'admin');
    return answerPolicy(request, save(request, record, readRetention(request, record)));
  };
  /** A workspace without its own policy is answered with the organization's default. */
  const remove = (request: ServiceRequest) => {
    const record = found(request, 'admin');
    if (!record.retention) return answerPolicy(request, record);
    save(request, record, null);
    return noContent;
  };
  return [
    ['GET', path, show],
    ['POST', path, write],
    // In some versions.
    ['PATCH', path, write],
    ['DELETE', path, remove],
  ];
}

export const workspaceRetentionRoutes = routesOf(workspaces);
/** The organization's default, for which only the live service has an endpoint. */
export const organizationRetentionRoutes = routesOf(organizations);

/** A workspace's own policy, or else the organization's default (interface, section 4.7). */
function answerPolicy({ world }: Pick<ServiceRequest, 'world'>, record: Owner): Answer {
  if (record.retention) {
    const type = 'organization' in record ? 'workspaces' : 'organizations';
    return json(200, retentionDocument(record.retention, { id: record.id, type }));
  }
  const organization =
    'organization' in record ? world.store.get('organizations', record.organization) : undefined;
  if (!organization?.retention) throw notFound();
  return answerPolicy({ world }, organization);
}

/** The document of a policy. Its target shows whether it is the workspace's own or the organization's default. */
function retentionDocument(
  retention: StoredRetention,
  target: { readonly id: string; readonly type: 'workspaces' | 'organizations' },
) {
  return {
    data: {
      id: retention.id,
      type: retentionType(retention),
      attributes: retention.days === null ? {} : { 'delete-older-than-n-days': retention.days },
      relationships: { target: { data: target } },
    },
  };
}

/** The policy of a request; its days are null if nothing is ever deleted. */
function readRetention({ body, world }: ServiceRequest, { id, retention }: Owner): StoredRetention {
  const { data } = isRecord(body) ? body : { data: undefined };
  const type = isRecord(data) && typeof data.type === 'string' ? data.type : '';
  const days = readDays(type, readResource(body, type).attributes);
  return { id: retention?.id ?? world.store.nextId('drp', id), days };
}

function readDays(type: string, attributes: Readonly<Record<string, unknown>>): number | null {
  if (type === dontDelete) return null;
  // The documentation and the official client spell the attribute differently, and both are in use.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (type !== deleteOlder && type !== 'data-retention-policies') {
    refuseInvalid([invalid('/data/type', `must be ${deleteOlder} or ${dontDelete}`)]);
  }
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1) {
    refuseInvalid([
      invalid('/data/attributes/delete-older-than-n-days', 'must be a whole number greater than 0'),
    ]);
  }
  return Number(days);
}
