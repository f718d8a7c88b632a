import { isRecord } from '../../model/value.ts';
import { deleteOlder, dontDelete, retentionIdentifier } from '../documents/resource.ts';
import { type Answer, json, noContent, notFound, rejectInvalid } from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import type { StoredOrganization, StoredRetention, StoredWorkspace } from '../store/records.ts';
import { hasDataRetention } from '../world.ts';
import { type Needed, onOrganization, onWorkspace, saveWorkspace } from './finders.ts';

/*
 * Data retention policies (interface, section 4.7), which the hosted offering does not have. A workspace without its own policy has the
 * default of its organization.
 */

type Owner = StoredWorkspace | StoredOrganization;
type Save<Record> = (request: ServiceRequest, record: Record, retention: StoredRetention | null) => void;
type On<Record> = (
  method: string,
  path: string,
  needed: Needed,
  handler: (request: ServiceRequest, record: Record) => Answer,
) => Route;

function routesOf<Record extends Owner>(on: On<Record>, save: Save<Record>): readonly Route[] {
  const route = (
    method: string,
    needed: Needed,
    handler: (request: ServiceRequest, record: Record) => Answer,
  ) =>
    on(method, '/relationships/data-retention-policy', needed, (request, record) => {
      if (!hasDataRetention(request.world)) throw notFound();
      return handler(request, record);
    });
  /** Creates or updates. The id is kept, even if the kind changes. */
  const write = (request: ServiceRequest, record: Record) => {
    const retention = readRetention(request, record);
    save(request, record, retention);
    return answerPolicy(request, { ...record, retention });
  };
  return [
    route('GET', 'read', answerPolicy),
    route('POST', 'admin', write),
    // In some versions.
    route('PATCH', 'admin', write),
    route('DELETE', 'admin', (request, record) => {
      if (!record.retention) return answerPolicy(request, record);
      save(request, record, null);
      return noContent;
    }),
  ];
}

export const workspaceRetentionRoutes = routesOf<StoredWorkspace>(
  onWorkspace,
  (request, workspace, retention) => saveWorkspace(request, { ...workspace, retention }),
);

/** Only the live service has them. */
export const organizationRetentionRoutes = routesOf<StoredOrganization>(
  onOrganization,
  ({ world }, organization, retention) => world.store.put('organizations', { ...organization, retention }),
);

/** The target of the document shows whether the policy is the workspace's own or the organization's. */
function answerPolicy(request: ServiceRequest, record: Owner): Answer {
  const { id, retention } = record;
  if (retention) {
    const type = 'organization' in record ? 'workspaces' : 'organizations';
    const attributes = retention.days === null ? {} : { 'delete-older-than-n-days': retention.days };
    const relationships = { target: { data: { id, type } } };
    return json(200, { data: { ...retentionIdentifier(retention), attributes, relationships } });
  }
  const organization =
    'organization' in record ? request.world.store.get('organizations', record.organization) : undefined;
  if (!organization?.retention) throw notFound();
  return answerPolicy(request, organization);
}

function readRetention({ body, world }: ServiceRequest, { id, retention }: Owner): StoredRetention {
  const { data } = isRecord(body) ? body : { data: undefined };
  const type = isRecord(data) && typeof data.type === 'string' ? data.type : '';
  const { attributes } = readResource(body, type);
  const kept = (days: number | null) => ({ id: retention?.id ?? world.store.nextId('drp', id), days });
  if (type === dontDelete) return kept(null);
  if (type !== deleteOlder && type !== 'data-retention-policies')
    throw rejectInvalid('/data/type', `must be ${deleteOlder} or ${dontDelete}`);
  // The documentation and the official client spell the attribute differently, and both are in use.
  const days = attributes['delete-older-than-n-days'] ?? attributes.deleteOlderThanNDays;
  if (typeof days === 'number' && Number.isInteger(days) && days >= 1) return kept(days);
  throw rejectInvalid('/data/attributes/delete-older-than-n-days', 'must be a whole number greater than 0');
}
