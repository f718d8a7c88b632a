import { type CallerAccess, isMember, isOwner, workspaceAccess } from '../callers.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import { type Answer, json, notFound } from '../http/responses.ts';
import { type Handler, pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import type { StoredOrganization, StoredProject, StoredWorkspace } from '../store/records.ts';

const byName = '/organizations/:organization/workspaces/:name';

/** A route under the id of a workspace. */
export function onWorkspace(method: string, path: string, handler: Handler): Route {
  return [method, `/workspaces/:workspace_id${path}`, handler];
}

/** A route under the id of a workspace, and under its name. */
export function onNamedWorkspace(method: string, path: string, handler: Handler): readonly Route[] {
  return [onWorkspace(method, path, handler), [method, byName + path, handler]];
}

/** The workspace in the path, by id or by name; 404 if the caller lacks the required access. */
export function findRequestedWorkspace(
  request: ServiceRequest,
  needed: Exclude<CallerAccess, 'none'>,
): StoredWorkspace {
  const { store } = request.world;
  const { workspace_id: id, organization = '', name = '' } = request.params;
  const workspace =
    id === undefined ? store.workspaces.byName(organization, name) : store.get('workspaces', id);
  if (!workspace) throw notFound();
  const access = workspaceAccess(request.caller, workspace);
  if (access === 'none' || (needed === 'admin' && access !== 'admin')) throw notFound();
  return workspace;
}

export function saveWorkspace(request: ServiceRequest, workspace: StoredWorkspace): StoredWorkspace {
  const saved = { ...workspace, updatedAt: request.world.now() };
  request.world.store.put('workspaces', saved);
  return saved;
}

export function answerWorkspace(request: ServiceRequest, workspace: StoredWorkspace, status = 200): Answer {
  return json(status, { data: shownWorkspace(request.world, workspace, request.caller) });
}

/** The organization in the path; 404 if the caller is not a member. */
export function findRequestedOrganization(request: ServiceRequest): StoredOrganization {
  const organization = request.world.store.get('organizations', pathPart(request, 'organization'));
  if (!organization || !isMember(request.caller, organization.id)) throw notFound();
  return organization;
}

/** The organization in the path, for its owners. */
export function findOwned(request: ServiceRequest): StoredOrganization {
  const organization = findRequestedOrganization(request);
  if (!isOwner(request.caller, organization.id)) throw notFound();
  return organization;
}

/** The project in the path; 404 if the caller is not a member of its organization. */
export function findRequestedProject(request: ServiceRequest): StoredProject {
  return findVisibleProject(request, pathPart(request, 'id'));
}

/** The project with an id; 404 if the caller is not a member of its organization. */
export function findVisibleProject(request: ServiceRequest, id: string): StoredProject {
  const project = request.world.store.get('projects', id);
  if (!project || !isMember(request.caller, project.organization)) throw notFound();
  return project;
}
