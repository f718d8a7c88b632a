import { compareTexts, isRecord } from '../../model/value.ts';
import { isOwner, mayForceDelete } from '../callers.ts';
import { type AnsweredResource, pageOf, toOne } from '../documents/resource.ts';
import { pathPart, type RouteSet, type ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  errorObject,
  noContent,
  notFound,
  Rejection,
  reject,
  rejectInvalid,
} from '../http/responses.ts';
import { readResource } from '../rules/request-document.ts';
import { createTags, dropUnusedTags } from '../rules/tag-rules.ts';
import type { Collections, StoredLock, StoredWorkspace } from '../store/store.ts';
import type { World } from '../world.ts';
import { answerSaved, onNamedWorkspace, onOrganization, onWorkspace } from './finders.ts';

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
  /** Deleted workspaces, which only the live service keeps: for some days, in organizations that have this switched on. */
  live: [
    onOrganization('GET', '/recoverable-items', 'admin', (request, { id }) => listItems(request, id)),
    ['PUT', '/recoverable-items/:id/actions/recover', recover],
    ['PUT', '/recoverable-items/:id/actions/permanently-delete', deletePermanently],
  ],
};

/** Ignores managed resources (interface, section 4.2): for owners, unless the organization allows it to others. */
function forceDelete(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  if (!mayForceDelete(request.world.store, request.caller, workspace))
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

const keptDays = 7;

type RecoverableItem = Collections['recoverableItems'];

function keepDeleted({ world, caller }: ServiceRequest, workspace: StoredWorkspace): void {
  if (!keepsItems(world, workspace.organization)) return;
  const deletedAt = world.now();
  world.store.put('recoverableItems', {
    id: world.store.nextId('ri', workspace.id),
    organization: workspace.organization,
    name: workspace.name,
    workspace,
    deletedBy: caller.user,
    deletedAt,
    expiresAt: new Date(Date.parse(deletedAt) + keptDays * 86_400_000).toISOString(),
    permanentlyDeletedAt: null,
    recoveredAt: null,
  });
}

function keepsItems({ dialect, store }: World, organization: string): boolean {
  const { settings } = store.get('organizations', organization) ?? {};
  return dialect === 'terraform' && settings?.['recoverable-items-enabled'] === true;
}

/** Also items that have expired or were permanently deleted, and none that were recovered. */
function listItems(request: ServiceRequest, organization: string): Answer {
  const { world, query } = request;
  if (!keepsItems(world, organization)) throw notFound();
  const isWanted = itemFilter(request);
  const items = world.store
    .ownedBy(organization, 'recoverableItems')
    .filter((item) => item.recoveredAt === null && isWanted(item));
  return pageOf(request, sorted(items, query.get('sort')), itemResource);
}

function itemFilter({ query, world }: ServiceRequest): (item: RecoverableItem) => boolean {
  const search = query.get('filter[search]')?.toLowerCase() ?? '';
  const type = query.get('filter[recoverable_type]') ?? 'workspaces';
  return ({ name, workspace }) => {
    const project = world.store.get('projects', workspace.project)?.name ?? '';
    return type === 'workspaces' && [name, project].some((text) => text.toLowerCase().includes(search));
  };
}

function sorted(items: RecoverableItem[], sort: string | null): RecoverableItem[] {
  if (sort === null) return items;
  if (!/^-?expires_at$/.test(sort)) throw reject(400, `Invalid sort parameter: ${sort}`);
  items.sort((a, b) => compareTexts(a.expiresAt, b.expiresAt));
  return sort.startsWith('-') ? items.reverse() : items;
}

function recover(request: ServiceRequest): Answer {
  const { world } = request;
  const { store } = world;
  const item = findOpenItem(request, {
    recovered: 'has already been recovered',
    deleted: 'has been manually permanently deleted, and is no longer eligible for recovery',
    expired: 'has expired and is no longer eligible for recovery',
  });
  const { organization, workspace } = item;
  const isTaken = store.named(organization, 'workspaces', workspace.name) !== undefined;
  if (isTaken || !store.get('projects', workspace.project)) throw unprocessable('Recovery failed');
  const tags = createTags(world, organization, workspace.tags);
  store.put('workspaces', { ...workspace, organization, tags });
  store.put('recoverableItems', { ...item, recoveredAt: world.now() });
  return noContent;
}

function deletePermanently(request: ServiceRequest): Answer {
  const { world } = request;
  const item = findOpenItem(request, {
    recovered: 'has been recovered, and is no longer eligible for permanent deletion',
    deleted: 'has already been manually permanently deleted',
    expired: 'has already expired and been permanently deleted',
  });
  world.store.put('recoverableItems', { ...item, permanentlyDeletedAt: world.now() });
  return noContent;
}

function findOpenItem(
  request: ServiceRequest,
  why: Readonly<Record<'recovered' | 'deleted' | 'expired', string>>,
): RecoverableItem {
  const { world, caller } = request;
  const item = world.store.get('recoverableItems', pathPart(request, 'id'));
  if (!item || !isOwner(caller, item.organization)) throw notFound();
  const refuse = (state: keyof typeof why) => unprocessable(`Recoverable item ${why[state]}`);
  if (item.recoveredAt !== null) throw refuse('recovered');
  if (item.permanentlyDeletedAt !== null) throw refuse('deleted');
  if (Date.parse(world.now()) >= Date.parse(item.expiresAt)) throw refuse('expired');
  return item;
}

/** The published title of these refusals differs from that of others. */
function unprocessable(detail: string): Rejection {
  return new Rejection(422, [{ ...errorObject(422, detail), title: 'unprocessable content' }]);
}

function itemResource(item: RecoverableItem): AnsweredResource {
  const { id, name, workspace, deletedBy, deletedAt, expiresAt, permanentlyDeletedAt } = item;
  return {
    id,
    type: 'recoverable-items',
    attributes: {
      'recoverable-name': name,
      'deleted-at': deletedAt,
      'expires-at': expiresAt,
      'unmanaged-resources': workspace.state.resourceCount,
      'permanently-deleted-at': permanentlyDeletedAt,
    },
    relationships: {
      project: toOne('projects', workspace.project),
      recoverable: toOne('workspaces', workspace.id),
      'deleted-by': toOne('users', deletedBy),
    },
  };
}
