import { sharingSwitchOf } from '../../model/attributes.ts';
import { managesWorkspaces, workspaceAccess } from '../callers.ts';
import { pageOf, tagResource } from '../documents/resource.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import { pathPart, type Route, type RouteSet, type ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  noContent,
  notFound,
  refuseInvalid,
  rejectInvalid,
} from '../http/responses.ts';
import { type InputResource, readResourceList } from '../rules/request-document.ts';
import { createTags, dropUnusedTags, storedTagName, tagNameProblem } from '../rules/tag-rules.ts';
import type { StoredOrganization, StoredWorkspace } from '../store/store.ts';
import { type Needed, onOrganization, onWorkspace, saveWorkspace } from './finders.ts';

const onConsumers = (
  method: string,
  needed: Needed,
  handler: (request: ServiceRequest, workspace: StoredWorkspace) => Answer,
) => onWorkspace(method, '/relationships/remote-state-consumers', needed, handler);

/** Remote state consumers (interface, section 4.5). Present ones that are added are ignored, as absent ones that are removed. */
const consumerRoutes: readonly Route[] = [
  onConsumers('GET', 'read', (request, workspace) => {
    const { world, caller } = request;
    const readable = consumersOf(request, workspace).filter((one) => workspaceAccess(caller, one) !== 'none');
    return pageOf(request, readable, (consumer) => shownWorkspace(world, consumer, caller));
  }),
  changeConsumers('POST', (known, given) => [...new Set([...known, ...given])]),
  changeConsumers('PATCH', (_, given) => [...given]),
  changeConsumers('DELETE', (known, given) => known.filter((id) => !given.has(id))),
];

function changeConsumers(
  method: string,
  changed: (known: readonly string[], given: ReadonlySet<string>) => readonly string[],
): Route {
  return onConsumers(method, 'admin', (request, workspace) => {
    const { world, caller } = request;
    if (method === 'PATCH' && !managesWorkspaces(caller, workspace.organization)) throw notFound();
    const known = workspace.consumers.filter((id) => world.store.get('workspaces', id));
    saveWorkspace(request, { ...workspace, consumers: changed(known, readIds(request, workspace)) });
    return noContent;
  });
}

function consumersOf({ world, query }: ServiceRequest, workspace: StoredWorkspace): StoredWorkspace[] {
  const shared = sharingSwitchOf(workspace.attributes);
  if (!shared || query.get('show_only_configured') === 'true')
    return workspace.consumers.flatMap((id) => world.store.get('workspaces', id) ?? []);
  return world.store
    .ownedBy(workspace.organization, 'workspaces')
    .filter(({ id }) => id !== workspace.id)
    .filter(({ project }) => shared === 'global-remote-state' || project === workspace.project);
}

function readIds(request: ServiceRequest, workspace: StoredWorkspace): ReadonlySet<string> {
  const shared = sharingSwitchOf(workspace.attributes);
  if (shared) throw rejectInvalid('/data', `Consumers can be set only where ${shared} is false`);
  const errors: ErrorObject[] = [];
  const ids = readResourceList(request.body).map(({ type, id }, index) => {
    const wrong = (member: string, detail: string) =>
      errors.push(invalid(`/data/${index}/${member}`, detail));
    if (type !== 'workspaces') wrong('type', 'must be workspaces');
    else if (typeof id !== 'string') wrong('id', 'must be the id of a workspace');
    else if (id === workspace.id) wrong('id', 'A workspace cannot be its own consumer');
    else if (!isReadable(request, workspace, id))
      wrong('id', `Workspace ${id} does not exist or cannot be read`);
    return String(id);
  });
  refuseInvalid(errors);
  return new Set(ids);
}

function isReadable({ world, caller }: ServiceRequest, { organization }: StoredWorkspace, id: string) {
  const consumer = world.store.get('workspaces', id);
  return consumer?.organization === organization && workspaceAccess(caller, consumer) !== 'none';
}

/** Flat tags (interface, section 4.6). */
const workspaceTagRoutes: readonly Route[] = [
  onWorkspace('GET', '/relationships/tags', 'read', (request, workspace) => {
    const { store } = request.world;
    const tags = workspace.tags.flatMap((name) => store.named(workspace.organization, 'tags', name) ?? []);
    return pageOf(request, tags, (tag) => tagResource(request.world, tag));
  }),
  onWorkspace('POST', '/relationships/tags', 'admin', (request, workspace) => {
    const { organization, tags } = workspace;
    const names = readTagNames(request, organization, (name) => tagNameProblem(name, request.world.dialect));
    const added = createTags(request.world, organization, names).filter((name) => !tags.includes(name));
    if (added.length > 0) saveWorkspace(request, { ...workspace, tags: [...tags, ...added] });
    return noContent;
  }),
  onWorkspace('DELETE', '/relationships/tags', 'admin', (request, workspace) => {
    const removed = readTagNames(request, workspace.organization);
    return removeTags(request, workspace.organization, [workspace], removed);
  }),
];

const organizationTagRoutes: readonly Route[] = [
  onOrganization('DELETE', '/tags', 'admin', (request, { id }: StoredOrganization) =>
    removeTags(request, id, request.world.store.ownedBy(id, 'workspaces'), readTagNames(request, id)),
  ),
  ['POST', '/tags/:id/relationships/workspaces', tagWorkspaces],
];

export const relationRoutes: RouteSet = {
  interface: [...consumerRoutes, ...workspaceTagRoutes],
  live: organizationTagRoutes,
};

/** A name that is not a tag of the organization is ignored. */
function removeTags(
  request: ServiceRequest,
  organization: string,
  workspaces: readonly StoredWorkspace[],
  removed: readonly string[],
): Answer {
  for (const workspace of workspaces) {
    const tags = workspace.tags.filter((name) => !removed.includes(name));
    if (tags.length < workspace.tags.length) saveWorkspace(request, { ...workspace, tags });
  }
  dropUnusedTags(request.world, organization, removed);
  return noContent;
}

function tagWorkspaces(request: ServiceRequest): Answer {
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

function readTagNames(
  request: ServiceRequest,
  organization: string,
  problemOf: (name: string) => string | undefined = () => undefined,
): readonly string[] {
  const errors: ErrorObject[] = [];
  const names = readResourceList(request.body).map((resource, index) => {
    const wrong = (pointer: string, detail: string) =>
      errors.push(invalid(`/data/${index}${pointer}`, detail));
    if (resource.type !== 'tags') wrong('/type', 'must be tags');
    const name = readTagName(request, organization, resource);
    const problem = name === undefined ? undefined : problemOf(name);
    if (name === undefined) wrong('', 'must have an id or attributes.name');
    else if (problem !== undefined) wrong('/attributes/name', problem);
    return name ?? '';
  });
  refuseInvalid(errors);
  return names;
}

function readTagName({ world }: ServiceRequest, organization: string, { id, attributes }: InputResource) {
  if (typeof id === 'string' && id !== '') {
    const tag = world.store.get('tags', id);
    if (tag?.organization !== organization) throw notFound();
    return tag.name;
  }
  return typeof attributes.name === 'string' ? storedTagName(attributes.name, world.dialect) : undefined;
}
