import { mayForceDelete } from '../callers.ts';
import { noContent } from '../http/answer.ts';
import { reject } from '../http/rejection.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import { findWorkspace } from './find-workspace.ts';
import { dropUnusedTags } from './workspace-tags.ts';

/** POST .../actions/safe-delete: only where nothing is managed any more (interface, section 4.2). */
export function safeDeleteWorkspace(request: ServiceRequest) {
  const workspace = findWorkspace(request, 'admin');
  const problem = safeDeleteProblem(workspace, request.world.dialect === 'terraform');
  if (problem) throw reject(409, problem);
  removeWorkspace(request, workspace);
  return noContent;
}

/** DELETE: without looking at what is managed; for owners, unless the organization lets others. */
export function forceDeleteWorkspace(request: ServiceRequest) {
  const workspace = findWorkspace(request, 'read');
  const organization = request.world.store.get('organizations', workspace.organization);
  if (!mayForceDelete(request.caller, workspace, organization)) {
    throw reject(403, 'You are not authorized to force delete this workspace.');
  }
  removeWorkspace(request, workspace);
  return noContent;
}

/** The live service has two more reasons to refuse, told apart by their text alone. */
export function safeDeleteProblem(workspace: WorkspaceRecord, live: boolean): string | undefined {
  if (live && workspace.lock)
    return 'Workspace is locked and must be unlocked before it can be safe deleted.';
  if (live && workspace.state.processing) {
    return "Workspace's latest state version is still being processed to discover resources; please try again later.";
  }
  return workspace.state.resourceCount > 0
    ? 'Workspace cannot be safely deleted because it is still managing resources.'
    : undefined;
}

function removeWorkspace(request: ServiceRequest, workspace: WorkspaceRecord): void {
  request.world.store.remove('workspaces', workspace.id);
  dropUnusedTags(request, workspace.organization, workspace.tags);
}
