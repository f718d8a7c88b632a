import { compareTexts } from '../../model/value.ts';
import { isOwner } from '../callers.ts';
import { type AnsweredResource, idTail, pageOf, readInclude, toOne } from '../documents/resource.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import { type Answer, errorObject, noContent, notFound, Rejection, reject } from '../http/responses.ts';
import { pathPart, type RouteSet, type ServiceRequest } from '../http/router.ts';
import { createTags } from '../rules/tag-rules.ts';
import type { StoredRecoverableItem, StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';
import { onOrganization } from './finders.ts';
import { projectResource } from './projects.ts';

const keptDays = 7;

/** Deleted workspaces, which only the live service keeps: for some days, in organizations that have this switched on. */
export const recoverableItemRoutes: RouteSet = {
  live: [
    onOrganization('GET', '/recoverable-items', 'admin', (request, { id }) => listItems(request, id)),
    ['PUT', '/recoverable-items/:id/actions/recover', recover],
    ['PUT', '/recoverable-items/:id/actions/permanently-delete', deletePermanently],
  ],
};

export function keepDeleted({ world, caller }: ServiceRequest, workspace: StoredWorkspace): void {
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
  const names = readInclude(query, ['recoverable', 'deleted_by', 'project']);
  const isWanted = itemFilter(request);
  const items = world.store
    .ownedBy(organization, 'recoverableItems')
    .filter((item) => item.recoveredAt === null && isWanted(item));
  return pageOf(request, sorted(items, query.get('sort')), itemResource, (item) =>
    includedIn(request, item, names),
  );
}

function itemFilter({ query, world }: ServiceRequest): (item: StoredRecoverableItem) => boolean {
  const search = query.get('filter[search]')?.toLowerCase() ?? '';
  const type = query.get('filter[recoverable_type]') ?? 'workspaces';
  return ({ name, workspace }) => {
    const project = world.store.get('projects', workspace.project)?.name ?? '';
    return type === 'workspaces' && [name, project].some((text) => text.toLowerCase().includes(search));
  };
}

function sorted(items: StoredRecoverableItem[], sort: string | null): StoredRecoverableItem[] {
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
): StoredRecoverableItem {
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

function itemResource(item: StoredRecoverableItem): AnsweredResource {
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

function* includedIn(
  request: ServiceRequest,
  { workspace, deletedBy }: StoredRecoverableItem,
  names: readonly string[],
): Generator<AnsweredResource> {
  const { world, caller } = request;
  if (names.includes('recoverable')) yield shownWorkspace(world, workspace, caller);
  if (names.includes('deleted_by'))
    yield { id: deletedBy, type: 'users', attributes: { username: idTail(deletedBy) } };
  const project = world.store.get('projects', workspace.project);
  if (project && names.includes('project')) yield projectResource(request, project);
}
