import { isRecord } from '../../model/value.ts';
import { retentionDocument } from '../documents/retention.ts';
import { type Answer, json, noContent } from '../http/answer.ts';
import { notFound } from '../http/rejection.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { readResource } from '../rules/documents.ts';
import { readRetentionDays } from '../rules/retention.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import { hasDataRetention } from '../world.ts';
import { findWorkspace, saveWorkspace } from './find-workspace.ts';

/** GET: the workspace's own policy, or else the organization's default (interface, section 4.7) */
export function showRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  return answerPolicy(request, findWorkspace(request, 'read'));
}

/** POST, or PATCH as some versions have it: creates or updates. The id stays, whatever the kind becomes. */
export function writeRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const workspace = findWorkspace(request, 'admin');
  const { data } = isRecord(request.body) ? request.body : { data: undefined };
  const type = isRecord(data) && typeof data.type === 'string' ? data.type : '';
  const days = readRetentionDays(readResource(request.body, type));
  const id = workspace.retention?.id ?? request.world.store.nextId('drp', workspace.id);
  return answerPolicy(request, saveWorkspace(request, { ...workspace, retention: { id, days } }));
}

/** DELETE: removes the workspace's own policy; without one it answers with the organization's default. */
export function removeRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const workspace = findWorkspace(request, 'admin');
  if (!workspace.retention) return answerPolicy(request, workspace);
  saveWorkspace(request, { ...workspace, retention: null });
  return noContent;
}

function answerPolicy(request: ServiceRequest, workspace: WorkspaceRecord): Answer {
  if (workspace.retention) {
    return json(200, retentionDocument(workspace.retention, { id: workspace.id, type: 'workspaces' }));
  }
  const organization = request.world.store.get('organizations', workspace.organization);
  if (!organization?.retention) throw notFound();
  return json(200, retentionDocument(organization.retention, { id: organization.id, type: 'organizations' }));
}

/** The hosted offering has no such thing. */
function refuseHosted(request: ServiceRequest): void {
  if (!hasDataRetention(request.world)) throw notFound();
}
