import { isMember, isOwner, workspaceAccess } from '../callers.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import { pathPart, type Route, route, type ServiceRequest } from '../http/handle-request.ts';
import { type Answer, json, notFound } from '../http/responses.ts';
import type { StoredOrganization, StoredProject, StoredWorkspace } from '../store/store.ts';

/** What a route needs: an object that its caller does not see, or may not change, is answered with 404. */
export type Needed = 'read' | 'admin';
type WorkspaceHandler = (request: ServiceRequest, workspace: StoredWorkspace) => Answer;

export function onWorkspace(method: string, path: string, needed: Needed, handler: WorkspaceHandler): Route {
  return route(method, `/workspaces/:workspace_id${path}`, (request) => {
    const workspace = request.world.store.get('workspaces', pathPart(request, 'workspace_id'));
    return handler(request, accessible(request, workspace, needed));
  });
}

export function onNamedWorkspace(
  method: string,
  path: string,
  needed: Needed,
  handler: WorkspaceHandler,
): readonly Route[] {
  const byName = route(method, `/organizations/:organization/workspaces/:name${path}`, (request) => {
    const { organization = '', name = '' } = request.params;
    const workspace = request.world.store.named(organization, 'workspaces', name);
    return handler(request, accessible(request, workspace, needed));
  });
  return [onWorkspace(method, path, needed, handler), byName];
}

function accessible({ caller }: ServiceRequest, workspace: StoredWorkspace | undefined, needed: Needed) {
  const access = workspace ? workspaceAccess(caller, workspace) : 'none';
  if (!workspace || access === 'none' || (needed === 'admin' && access !== 'admin')) throw notFound();
  return workspace;
}

export function onOrganization(
  method: string,
  path: string,
  needed: Needed,
  handler: (request: ServiceRequest, organization: StoredOrganization) => Answer,
): Route {
  return route(method, `/organizations/:organization${path}`, (request) => {
    const organization = request.world.store.get('organizations', pathPart(request, 'organization'));
    const isAllowed = needed === 'read' ? isMember : isOwner;
    if (!organization || !isAllowed(request.caller, organization.id)) throw notFound();
    return handler(request, organization);
  });
}

export function saveWorkspace(request: ServiceRequest, workspace: StoredWorkspace): StoredWorkspace {
  const saved = { ...workspace, updatedAt: request.world.now() };
  request.world.store.put('workspaces', saved);
  return saved;
}

export function answerSaved(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  const { world, caller } = request;
  return json(200, { data: shownWorkspace(world, saveWorkspace(request, workspace), caller) });
}

export function findProject(request: ServiceRequest, id = pathPart(request, 'id')): StoredProject {
  const project = request.world.store.get('projects', id);
  if (!project || !isMember(request.caller, project.organization)) throw notFound();
  return project;
}
