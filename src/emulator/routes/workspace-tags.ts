import { workspaceAccess } from '../callers.ts';
import { pageOf } from '../documents/pages.ts';
import { tagResource } from '../documents/tag-resources.ts';
import { type ErrorObject, invalid, noContent, notFound, refuseInvalid } from '../http/responses.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { type InputResource, readResourceList } from '../rules/request-document.ts';
import { createTags, dropUnusedTags, storedTagName, tagNameProblem } from '../rules/tag-rules.ts';
import { findOwned, findRequestedWorkspace, onWorkspace, saveWorkspace } from './find-requested.ts';

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
