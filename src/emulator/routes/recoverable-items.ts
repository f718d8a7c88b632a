import { isOwner, type RequestSender } from '../callers.ts';
import { type AnsweredResource, toOne } from '../documents/answered-resource.ts';
import { projectResource } from '../documents/named-resources.ts';
import { pageOf, readInclude } from '../documents/pages.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import { type Answer, noContent, notFound, Rejection, reject } from '../http/responses.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { createTags } from '../rules/tag-rules.ts';
import type { StoredRecoverableItem, StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';
import { findOwned } from './find-requested.ts';

const keptDays = 7;

/** Keeps a deleted workspace, if its organization has that switched on. Only the live service does. */
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

/** GET: also items that have expired or were permanently deleted, and none that were recovered */
function listItems(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const { id } = findOwned(request);
  if (!keepsItems(world, id)) throw notFound();
  const names = readInclude(query, ['recoverable', 'deleted_by', 'project']);
  const isWanted = itemFilter(request);
  const items = world.store
    .all('recoverableItems')
    .filter((item) => item.organization === id && item.recoveredAt === null && isWanted(item));
  return pageOf(
    request,
    sorted(items, query.get('sort')),
    (item) => recoverableItemResource(item),
    (item) => includedInItem(world, caller, item, names),
  );
}

function itemFilter({ query, world }: ServiceRequest): (item: StoredRecoverableItem) => boolean {
  const search = query.get('filter[search]')?.toLowerCase() ?? '';
  const type = query.get('filter[recoverable_type]') ?? 'workspaces';
  const after = query.get('filter[expires_after]');
  const managing = query.get('filter[having_managed_resources]') === 'true';
  return ({ name, workspace, expiresAt }) => {
    const project = world.store.get('projects', workspace.project)?.name ?? '';
    return (
      type === 'workspaces' &&
      [name, project].some((text) => text.toLowerCase().includes(search)) &&
      (after === null || Date.parse(expiresAt) > Date.parse(after)) &&
      (!managing || workspace.state.resourceCount > 0)
    );
  };
}

const sortKeys: Readonly<Record<string, (item: StoredRecoverableItem) => string | number>> = {
  expires_at: ({ expiresAt }) => expiresAt,
  recoverable_name: ({ name }) => name,
  unmanaged_resources: ({ workspace }) => workspace.state.resourceCount,
};

function sorted(items: StoredRecoverableItem[], sort: string | null): StoredRecoverableItem[] {
  if (sort === null) return items;
  const key = sortKeys[sort.replace(/^-/, '')];
  if (!key) throw reject(400, `Invalid sort parameter: ${sort}`);
  items.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  return sort.startsWith('-') ? items.reverse() : items;
}

/** PUT .../actions/recover: the workspace has its id, settings and state again. */
function recover(request: ServiceRequest): Answer {
  const { world } = request;
  const item = findOpenItem(request, {
    recovered: 'has already been recovered',
    deleted: 'has been manually permanently deleted, and is no longer eligible for recovery',
    expired: 'has expired and is no longer eligible for recovery',
  });
  const { organization, workspace } = item;
  const isTaken = world.store.workspaces.byName(organization, workspace.name) !== undefined;
  if (isTaken || !world.store.get('projects', workspace.project)) throw unprocessable('Recovery failed');
  const tags = createTags(world, organization, workspace.tags);
  world.store.put('workspaces', { ...workspace, organization, tags });
  world.store.put('recoverableItems', { ...item, recoveredAt: world.now() });
  return noContent;
}

/** PUT .../actions/permanently-delete */
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

/** The item in the path, unless its fate is decided. */
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
  return new Rejection(422, [{ status: '422', title: 'unprocessable content', detail }]);
}

export const recoverableItemRoutes: readonly Route[] = [
  ['GET', '/organizations/:organization/recoverable-items', listItems],
  ['PUT', '/recoverable-items/:id/actions/recover', recover],
  ['PUT', '/recoverable-items/:id/actions/permanently-delete', deletePermanently],
];

/** A deleted workspace. */
function recoverableItemResource(item: StoredRecoverableItem): AnsweredResource {
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

/** The resources that `include` requests. */
function* includedInItem(
  world: World,
  caller: RequestSender,
  item: StoredRecoverableItem,
  names: readonly string[],
): Generator<AnsweredResource> {
  const { workspace, deletedBy } = item;
  if (names.includes('recoverable')) yield shownWorkspace(world, workspace, caller);
  if (names.includes('deleted_by'))
    yield {
      id: deletedBy,
      type: 'users',
      attributes: { username: deletedBy.slice(deletedBy.indexOf('-') + 1) },
    };
  const project = world.store.get('projects', workspace.project);
  if (project && names.includes('project')) yield projectResource(world, project, caller);
}
