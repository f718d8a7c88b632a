import { sharingSwitchOf } from '../../model/attributes.ts';
import { managesWorkspaces, workspaceAccess } from '../callers.ts';
import { pageOf } from '../documents/pages.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import { tagResource } from '../documents/tag-resources.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { type InputResource, readResourceList } from '../rules/request-document.ts';
import { createTags, dropUnusedTags, storedTagName, tagNameProblem } from '../rules/tag-rules.ts';
import type { StoredWorkspace } from '../store/records.ts';
import { findOwned, findRequestedWorkspace, onWorkspace, saveWorkspace } from './find-requested.ts';

/** GET: full documents of the consumers that the caller can read (interface, section 4.5) */
function getConsumers(request: ServiceRequest): Answer {
  const { world, caller } = request;
  const workspace = findRequestedWorkspace(request, 'read');
  const readable = consumersOf(request, workspace).filter(
    (consumer) => workspaceAccess(caller, consumer) !== 'none',
  );
  return pageOf(request, readable, (consumer) => shownWorkspace(world, consumer, caller));
}

/** POST: adds consumers; existing ones are ignored. */
function postConsumers(request: ServiceRequest): Answer {
  const workspace = findRequestedWorkspace(request, 'admin');
  const known = new Set(storedConsumers(request, workspace));
  for (const id of readIds(request, workspace)) known.add(id);
  return store(request, workspace, [...known]);
}

/** PATCH: replaces the list; requires the permission to manage all workspaces of the organization. */
function patchConsumers(request: ServiceRequest): Answer {
  const workspace = findRequestedWorkspace(request, 'admin');
  if (!managesWorkspaces(request.caller, workspace.organization)) throw notFound();
  return store(request, workspace, readIds(request, workspace));
}

/** DELETE: removes consumers; missing ones are ignored. */
function deleteConsumers(request: ServiceRequest): Answer {
  const workspace = findRequestedWorkspace(request, 'admin');
  const removed = new Set(readIds(request, workspace));
  const left = storedConsumers(request, workspace).filter((id) => !removed.has(id));
  return store(request, workspace, left);
}

/** With a switch every other workspace of the organization or project reads the state; without one, the stored list applies. */
function consumersOf(request: ServiceRequest, workspace: StoredWorkspace): StoredWorkspace[] {
  const { store: stored } = request.world;
  const configuredOnly = request.query.get('show_only_configured') === 'true';
  const shared = sharingSwitchOf(workspace.attributes);
  if (shared && !configuredOnly) {
    return stored.workspaces
      .all(workspace.organization)
      .filter(({ id }) => id !== workspace.id)
      .filter(({ project }) => shared === 'global-remote-state' || project === workspace.project);
  }
  return workspace.consumers.flatMap((id) => stored.get('workspaces', id) ?? []);
}

/** Without consumers that were deleted in the meantime. */
function storedConsumers(request: ServiceRequest, workspace: StoredWorkspace): readonly string[] {
  return workspace.consumers.filter((id) => request.world.store.get('workspaces', id));
}

/** The ids in the body, by the rules of section 4.5. */
function readIds(request: ServiceRequest, workspace: StoredWorkspace): readonly string[] {
  const shared = sharingSwitchOf(workspace.attributes);
  if (shared) refuseInvalid([invalid('/data', `Consumers can be set only where ${shared} is false`)]);
  const errors: ErrorObject[] = [];
  const ids = new Set<string>();
  for (const [index, { type, id }] of readResourceList(request.body).entries()) {
    const pointer = `/data/${index}`;
    if (type !== 'workspaces') errors.push(invalid(`${pointer}/type`, 'must be workspaces'));
    else if (typeof id !== 'string') errors.push(invalid(`${pointer}/id`, 'must be the id of a workspace'));
    else if (id === workspace.id)
      errors.push(invalid(`${pointer}/id`, 'A workspace cannot be its own consumer'));
    else if (!isReadable(request, workspace, id))
      errors.push(invalid(`${pointer}/id`, `Workspace ${id} does not exist or cannot be read`));
    else ids.add(id);
  }
  refuseInvalid(errors);
  return [...ids];
}

/** Whether the caller can read a workspace of the same organization by that id. */
function isReadable(
  { world, caller }: ServiceRequest,
  { organization }: StoredWorkspace,
  id: string,
): boolean {
  const consumer = world.store.get('workspaces', id);
  return consumer?.organization === organization && workspaceAccess(caller, consumer) !== 'none';
}

function store(request: ServiceRequest, workspace: StoredWorkspace, consumers: readonly string[]): Answer {
  saveWorkspace(request, { ...workspace, consumers });
  return noContent;
}

const consumersPath = '/relationships/remote-state-consumers';

export const consumerRoutes: readonly Route[] = [
  onWorkspace('GET', consumersPath, getConsumers),
  onWorkspace('POST', consumersPath, postConsumers),
  onWorkspace('PATCH', consumersPath, patchConsumers),
  onWorkspace('DELETE', consumersPath, deleteConsumers),
];

/** GET /workspaces/:workspace_id/relationships/tags */
function getTags(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'read');
  const { store } = request.world;
  const tags = workspace.tags.flatMap((name) => store.tagByName(workspace.organization, name) ?? []);
  return pageOf(request, tags, (tag) => tagResource(request.world, tag));
}

/** POST: adds tags and creates missing ones. A tag that the workspace already has is not an error. */
function postTags(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  const names = readTagNames(request, workspace.organization, (name, pointer) => {
    const problem = tagNameProblem(name, request.world.dialect);
    return problem ? [invalid(pointer, problem)] : [];
  });
  const added = createTags(request.world, workspace.organization, names).filter(
    (name) => !workspace.tags.includes(name),
  );
  if (added.length > 0) saveWorkspace(request, { ...workspace, tags: [...workspace.tags, ...added] });
  return noContent;
}

/** DELETE: removes tags. A name that is not a tag of the organization is ignored. */
function deleteTags(request: ServiceRequest) {
  const workspace = findRequestedWorkspace(request, 'admin');
  const removed = new Set(readTagNames(request, workspace.organization, () => []));
  const tags = workspace.tags.filter((name) => !removed.has(name));
  if (tags.length < workspace.tags.length) {
    saveWorkspace(request, { ...workspace, tags });
    dropUnusedTags(request.world, workspace.organization, removed);
  }
  return noContent;
}

/** DELETE /organizations/:organization/tags: removes tags from all workspaces. */
function deleteOrganizationTags(request: ServiceRequest) {
  const organization = findOwned(request).id;
  const names = new Set(readTagNames(request, organization, () => []));
  for (const workspace of request.world.store.workspaces.all(organization)) {
    const tags = workspace.tags.filter((name) => !names.has(name));
    if (tags.length < workspace.tags.length) saveWorkspace(request, { ...workspace, tags });
  }
  dropUnusedTags(request.world, organization, names);
  return noContent;
}

/** POST /tags/:id/relationships/workspaces: adds a tag to workspaces, all or none of them. */
function postTaggedWorkspaces(request: ServiceRequest) {
  const { store } = request.world;
  const tag = store.get('tags', pathPart(request, 'id'));
  if (!tag) throw notFound();
  const workspaces = readResourceList(request.body).map(({ id }) => {
    const workspace = store.get('workspaces', String(id));
    if (workspace?.organization !== tag.organization) throw notFound();
    if (workspaceAccess(request.caller, workspace) !== 'admin') throw notFound();
    return workspace;
  });
  for (const workspace of workspaces) {
    if (workspace.tags.includes(tag.name)) continue;
    saveWorkspace(request, { ...workspace, tags: [...workspace.tags, tag.name] });
  }
  return noContent;
}

/** Only the live service has them. */
export const organizationTagRoutes: readonly Route[] = [
  ['DELETE', '/organizations/:organization/tags', deleteOrganizationTags],
  ['POST', '/tags/:id/relationships/workspaces', postTaggedWorkspaces],
];

function readTagNames(
  request: ServiceRequest,
  organization: string,
  check: (name: string, pointer: string) => readonly ErrorObject[],
): string[] {
  const errors: ErrorObject[] = [];
  const names = readResourceList(request.body).map((resource, index) => {
    if (resource.type !== 'tags') errors.push(invalid(`/data/${index}/type`, 'must be tags'));
    const name = readTagName(request, organization, resource);
    if (name === undefined) errors.push(invalid(`/data/${index}`, 'must have an id or attributes.name'));
    else errors.push(...check(name, `/data/${index}/attributes/name`));
    return name ?? '';
  });
  refuseInvalid(errors);
  return names;
}

/** An id must be that of an existing tag; a name may be new. */
function readTagName(
  request: ServiceRequest,
  organization: string,
  resource: InputResource,
): string | undefined {
  const { store, dialect } = request.world;
  if (typeof resource.id === 'string' && resource.id !== '') {
    const tag = store.get('tags', resource.id);
    if (tag?.organization !== organization) throw notFound();
    return tag.name;
  }
  const name = resource.attributes.name;
  return typeof name === 'string' ? storedTagName(name, dialect) : undefined;
}

export const workspaceTagRoutes: readonly Route[] = [
  onWorkspace('GET', '/relationships/tags', getTags),
  onWorkspace('POST', '/relationships/tags', postTags),
  onWorkspace('DELETE', '/relationships/tags', deleteTags),
];
