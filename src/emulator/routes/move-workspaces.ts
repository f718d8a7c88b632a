import { hasProjectPermission, isOwner, workspaceAccess } from '../callers.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  noContent,
  notFound,
  refuseInvalid,
  reject,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readAttributes } from '../rules/read-attributes.ts';
import { readResourceList } from '../rules/request-document.ts';
import { resolveWorkspace } from '../rules/resolve-workspace.ts';
import { overrideErrors } from '../rules/tag-rules.ts';
import type { StoredProject, StoredWorkspace } from '../store/records.ts';
import { findRequestedProject, saveWorkspace } from './find-requested.ts';

const mostWorkspaces = 100;

/** POST /projects/:id/relationships/workspaces: moves all of the workspaces, or none of them. */
function moveWorkspaces(request: ServiceRequest): Answer {
  const target = findRequestedProject(request);
  const items = readResourceList(request.body);
  const errors: ErrorObject[] = items.flatMap(({ type }, index) =>
    type === 'workspaces' ? [] : [invalid(`/data/${index}/type`, 'must be workspaces')],
  );
  if (items.length > mostWorkspaces)
    errors.push(invalid('/data', `cannot exceed ${mostWorkspaces} workspaces`));
  refuseInvalid(errors);
  const { store } = request.world;
  const moved = items.map(({ id }) => movable(request, store.get('workspaces', String(id)), target));
  refuseInvalid(moved.flatMap((workspace) => workspace.errors));
  for (const { workspace } of moved) saveWorkspace(request, workspace);
  return noContent;
}

function movable(
  request: ServiceRequest,
  workspace: StoredWorkspace | undefined,
  target: StoredProject,
): { readonly workspace: StoredWorkspace; readonly errors: readonly ErrorObject[] } {
  const { world, caller } = request;
  if (workspace?.organization !== target.organization || workspaceAccess(caller, workspace) === 'none') {
    throw notFound();
  }
  if (!mayMove(request, workspace, target)) {
    throw reject(403, `You are not authorized to move the workspace ${workspace.id}.`);
  }
  const { organization, attributes: own, neverDestroyed = false } = workspace;
  const given = readAttributes({}, world.dialect);
  const resolved = resolveWorkspace({
    world,
    organization,
    project: target.id,
    own,
    neverDestroyed,
    given,
    creating: false,
  });
  return {
    workspace: { ...workspace, project: target.id, attributes: resolved.own },
    errors: [...resolved.errors, ...overrideErrors(world.store, workspace, target)],
  };
}

/** A move requires the permission to move in both projects, and to change the workspace. */
export function mayMove(
  { world, caller }: ServiceRequest,
  workspace: StoredWorkspace,
  target: StoredProject,
): boolean {
  if (isOwner(caller, workspace.organization)) return true;
  const projects = [workspace.project, target.id];
  return (
    workspaceAccess(caller, workspace) === 'admin' &&
    projects.every((project) =>
      hasProjectPermission(world.store, caller, project, 'workspace-access.move', true),
    )
  );
}

export const moveWorkspacesRoutes: readonly Route[] = [
  ['POST', '/projects/:id/relationships/workspaces', moveWorkspaces],
];
