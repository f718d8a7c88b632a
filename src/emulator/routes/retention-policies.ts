import { isRecord } from '../../model/value.ts';
import { deleteOlder, dontDelete, retentionType } from '../documents/answered-resource.ts';
import { type Answer, invalid, json, noContent, notFound, refuseInvalid } from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import type { StoredOrganization, StoredRetention, StoredWorkspace } from '../store/records.ts';
import { hasDataRetention } from '../world.ts';
import {
  findOwned,
  findRequestedOrganization,
  findRequestedWorkspace,
  onWorkspace,
  saveWorkspace,
} from './find-requested.ts';

/** GET: the workspace's own policy, or else the organization's default (interface, section 4.7) */
function getRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  return answerPolicy(request, findRequestedWorkspace(request, 'read'));
}

/** POST, or PATCH in some versions: creates or updates. The id is kept, even if the kind changes. */
function postRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const workspace = findRequestedWorkspace(request, 'admin');
  const retention = readRetention(request, workspace);
  return answerPolicy(request, saveWorkspace(request, { ...workspace, retention }));
}

/** DELETE: removes the workspace's own policy; without one it answers with the organization's default. */
function deleteRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const workspace = findRequestedWorkspace(request, 'admin');
  if (!workspace.retention) return answerPolicy(request, workspace);
  saveWorkspace(request, { ...workspace, retention: null });
  return noContent;
}

/** The organization's default, for which only the live service has an endpoint. */
function showOrganizationRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  return answerDefault(findRequestedOrganization(request));
}

function writeOrganizationRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  const owned = findOwned(request);
  const organization = { ...owned, retention: readRetention(request, owned) };
  request.world.store.put('organizations', organization);
  return answerDefault(organization);
}

function removeOrganizationRetention(request: ServiceRequest): Answer {
  refuseHosted(request);
  request.world.store.put('organizations', { ...findOwned(request), retention: null });
  return noContent;
}

const path = '/relationships/data-retention-policy';
const organizationPolicy = `/organizations/:organization${path}`;

export const workspaceRetentionRoutes: readonly Route[] = [
  onWorkspace('GET', path, getRetention),
  onWorkspace('POST', path, postRetention),
  onWorkspace('PATCH', path, postRetention),
  onWorkspace('DELETE', path, deleteRetention),
];

export const organizationRetentionRoutes: readonly Route[] = [
  ['GET', organizationPolicy, showOrganizationRetention],
  ['POST', organizationPolicy, writeOrganizationRetention],
  ['PATCH', organizationPolicy, writeOrganizationRetention],
  ['DELETE', organizationPolicy, removeOrganizationRetention],
];

function answerPolicy({ world }: ServiceRequest, { id, organization, retention }: StoredWorkspace): Answer {
  if (retention) return json(200, retentionDocument(retention, { id, type: 'workspaces' }));
  return answerDefault(world.store.get('organizations', organization));
}

function answerDefault(organization: StoredOrganization | undefined): Answer {
  if (!organization?.retention) throw notFound();
  const { id, retention } = organization;
  return json(200, retentionDocument(retention, { id, type: 'organizations' }));
}

/** The hosted offering has no data retention. */
function refuseHosted(request: ServiceRequest): void {
  if (!hasDataRetention(request.world)) throw notFound();
}

/** The document of a policy. Its target shows whether it is the workspace's own or the organization's default. */
function retentionDocument(
  retention: StoredRetention,
  target: { readonly id: string; readonly type: 'workspaces' | 'organizations' },
) {
  return {
    data: {
      id: retention.id,
      type: retentionType(retention),
      attributes: retention.days === null ? {} : { 'delete-older-than-n-days': retention.days },
      relationships: { target: { data: target } },
    },
  };
}

/** The policy of a request; its days are null if nothing is ever deleted. */
function readRetention(
  { body, world }: ServiceRequest,
  { id, retention }: Pick<StoredWorkspace | StoredOrganization, 'id' | 'retention'>,
): StoredRetention {
  const { data } = isRecord(body) ? body : { data: undefined };
  const type = isRecord(data) && typeof data.type === 'string' ? data.type : '';
  const days = readDays(type, readResource(body, type).attributes);
  return { id: retention?.id ?? world.store.nextId('drp', id), days };
}

function readDays(type: string, attributes: Readonly<Record<string, unknown>>): number | null {
  if (type === dontDelete) return null;
  // The documentation and the official client spell the attribute differently, and both are in use.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (type !== deleteOlder && type !== 'data-retention-policies') {
    refuseInvalid([invalid('/data/type', `must be ${deleteOlder} or ${dontDelete}`)]);
  }
  if (typeof days !== 'number' || !Number.isInteger(days) || days < 1) {
    refuseInvalid([
      invalid('/data/attributes/delete-older-than-n-days', 'must be a whole number greater than 0'),
    ]);
  }
  return Number(days);
}
