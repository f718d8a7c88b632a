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
  saveWorkspace,
} from './find-requested.ts';

type Owner = StoredWorkspace | StoredOrganization;

/** How a workspace or an organization is found and stored. */
interface Holder<Record extends Owner> {
  readonly path: string;
  readonly find: (request: ServiceRequest, needed: 'read' | 'admin') => Record;
  readonly save: (request: ServiceRequest, record: Record, retention: StoredRetention | null) => Record;
}

const path = '/relationships/data-retention-policy';

const workspaces: Holder<StoredWorkspace> = {
  path: `/workspaces/:workspace_id${path}`,
  find: findRequestedWorkspace,
  save: (request, workspace, retention) => saveWorkspace(request, { ...workspace, retention }),
};

const organizations: Holder<StoredOrganization> = {
  path: `/organizations/:organization${path}`,
  find: (request, needed) => (needed === 'admin' ? findOwned(request) : findRequestedOrganization(request)),
  save: ({ world }, organization, retention) => {
    const saved = { ...organization, retention };
    world.store.put('organizations', saved);
    return saved;
  },
};

/** The hosted offering has no data retention. */
function routesOf<Record extends Owner>({ path, find, save }: Holder<Record>): readonly Route[] {
  const found = (request: ServiceRequest, needed: 'read' | 'admin'): Record => {
    if (!hasDataRetention(request.world)) throw notFound();
    return find(request, needed);
  };
  const show = (request: ServiceRequest) => answerPolicy(request, found(request, 'read'));
  /** Creates or updates. The id is kept, even if the kind changes. */
  const write = (request: ServiceRequest) => {
    const record = found(request, 'admin');
    return answerPolicy(request, save(request, record, readRetention(request, record)));
  };
  /** A workspace without its own policy is answered with the organization's default. */
  const remove = (request: ServiceRequest) => {
    const record = found(request, 'admin');
    if (!record.retention) return answerPolicy(request, record);
    save(request, record, null);
    return noContent;
  };
  return [
    ['GET', path, show],
    ['POST', path, write],
    // In some versions.
    ['PATCH', path, write],
    ['DELETE', path, remove],
  ];
}

export const workspaceRetentionRoutes = routesOf(workspaces);
/** The organization's default, for which only the live service has an endpoint. */
export const organizationRetentionRoutes = routesOf(organizations);

/** A workspace's own policy, or else the organization's default (interface, section 4.7). */
function answerPolicy({ world }: Pick<ServiceRequest, 'world'>, record: Owner): Answer {
  if (record.retention) {
    const type = 'organization' in record ? 'workspaces' : 'organizations';
    return json(200, retentionDocument(record.retention, { id: record.id, type }));
  }
  const organization =
    'organization' in record ? world.store.get('organizations', record.organization) : undefined;
  if (!organization?.retention) throw notFound();
  return answerPolicy({ world }, organization);
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
function readRetention({ body, world }: ServiceRequest, { id, retention }: Owner): StoredRetention {
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
