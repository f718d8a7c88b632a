import { type WorkspaceAccess, workspaceAccess } from '../callers.ts';
import { workspaceJson } from '../documents/workspace.ts';
import type { Answer } from '../http/answer.ts';
import { notFound } from '../http/rejection.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import type { WorkspaceRecord } from '../store/records.ts';

/** The workspace that the path names by id or by name. One that the caller may not use like that is not found. */
export function findWorkspace(
  request: ServiceRequest,
  needed: Exclude<WorkspaceAccess, 'none'>,
): WorkspaceRecord {
  const { store } = request.world;
  const { workspace_id: id, organization = '', name = '' } = request.params;
  const workspace =
    id === undefined ? store.workspaces.byName(organization, name) : store.get('workspaces', id);
  if (!workspace) throw notFound();
  const access = workspaceAccess(request.caller, workspace);
  if (access === 'none' || (needed === 'admin' && access !== 'admin')) throw notFound();
  return workspace;
}

/** Stores a changed workspace. */
export function saveWorkspace(request: ServiceRequest, workspace: WorkspaceRecord): WorkspaceRecord {
  const saved = { ...workspace, updatedAt: request.world.now() };
  request.world.store.put('workspaces', saved);
  return saved;
}

export function answerWorkspace(request: ServiceRequest, workspace: WorkspaceRecord, status = 200): Answer {
  return { status, body: `{"data":${workspaceJson(request.world, workspace, request.caller)}}` };
}
