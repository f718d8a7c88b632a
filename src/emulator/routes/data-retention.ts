import { isRecord } from '../../model/value.ts';
import { readRetentionDays, retentionDocument } from '../documents/retention.ts';
import { type Answer, json, noContent, notFound } from '../http/answer.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import type { StoredOrganization, StoredRetention, StoredWorkspace } from '../store/records.ts';
import { hasDataRetention } from '../world.ts';
import { findRequestedOrganization, findRequestedWorkspace, saveWorkspace } from './find.ts';
import { findOwned } from './write-named.ts';

/** GET: the workspace's own policy, or else the organization's default (interface, section 4.7) */
export function getRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  return answerPolicy(request, findRequestedWorkspace(request, 'read'));
}

/** POST, or PATCH in some versions: creates or updates. The id is kept, even if the kind changes. */
export function postRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const workspace = findRequestedWorkspace(request, 'admin');
  const { data } = isRecord(request.body) ? request.body : { data: undefined };
  const type = isRecord(data) && typeof data.type === 'string' ? data.type : '';
  const days = readRetentionDays(readResource(request.body, type));
  const id = workspace.retention?.id ?? request.world.store.nextId('drp', workspace.id);
  return answerPolicy(request, saveWorkspace(request, { ...workspace, retention: { id, days } }));
}

/** DELETE: removes the workspace's own policy; without one it answers with the organization's default. */
export function deleteRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const workspace = findRequestedWorkspace(request, 'admin');
  if (!workspace.retention) return answerPolicy(request, workspace);
  saveWorkspace(request, { ...workspace, retention: null });
  return noContent;
}

/** The organization's default, for which only the live service has an endpoint. */
function showOrganizationRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const organization = findRequestedOrganization(request);
  if (!organization.retention) throw notFound();
  return answerDefault(organization, organization.retention);
}

function writeOrganizationRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const { store } = request.world;
  const organization = findOwned(request);
  const { data } = isRecord(request.body) ? request.body : { data: undefined };
  const type = isRecord(data) && typeof data.type === 'string' ? data.type : '';
  const days = readRetentionDays(readResource(request.body, type));
  const id = organization.retention?.id ?? store.nextId('drp', organization.id);
  store.put('organizations', { ...organization, retention: { id, days } });
  return answerDefault(organization, { id, days });
}

function removeOrganizationRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  request.world.store.put('organizations', { ...findOwned(request), retention: null });
  return noContent;
}

const organizationPolicy = '/organizations/:organization/relationships/data-retention-policy';

export const organizationRetentionRoutes: readonly Route[] = [
  ['GET', organizationPolicy, showOrganizationRetention],
  ['POST', organizationPolicy, writeOrganizationRetention],
  ['PATCH', organizationPolicy, writeOrganizationRetention],
  ['DELETE', organizationPolicy, removeOrganizationRetention],
];

function answerDefault({ id }: StoredOrganization, retention: StoredRetention): Answer {
  return json(200, retentionDocument(retention, { id, type: 'organizations' }));
}

function answerPolicy(request: ServiceRequest, workspace: StoredWorkspace): Answer {
  if (workspace.retention) {
    return json(200, retentionDocument(workspace.retention, { id: workspace.id, type: 'workspaces' }));
  }
  const organization = request.world.store.get('organizations', workspace.organization);
  if (!organization?.retention) throw notFound();
  return answerDefault(organization, organization.retention);
}

/** The hosted offering has no data retention. */
function refuseHosted(request: ServiceRequest): void {
  if (!hasDataRetention(request.world)) throw notFound();
}
