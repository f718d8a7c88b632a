import type { TagBindings } from '../../model/list-rule.ts';
import { isRecord } from '../../model/value.ts';
import { bindingResource, deleteOlder, dontDelete, retentionIdentifier } from '../documents/resource.ts';
import { type Route, type RouteSet, route, type ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  type ErrorObject,
  json,
  noContent,
  notFound,
  refuseInvalid,
  rejectInvalid,
} from '../http/responses.ts';
import { readResource, readResourceList } from '../rules/request-document.ts';
import { bindingsInEffect, type EffectiveBinding, readBindings, storedBindings } from '../rules/tag-rules.ts';
import type { StoredOrganization, StoredProject, StoredRetention, StoredWorkspace } from '../store/store.ts';
import { hasDataRetention } from '../world.ts';
import { findProject, type Needed, onOrganization, onWorkspace, saveWorkspace } from './finders.ts';
import { projectPermissions } from './projects.ts';

/*
 * Two settings that several kinds of objects have at alike paths: data retention policies (interface, section 4.7), which the hosted
 * offering does not have, of workspaces and organizations; and key/value tags, which only the live service has, of workspaces
 * and projects. A workspace without its own policy has that of its organization. A PATCH of tags has two meanings on two similar
 * paths, and their lists have no pages, as on the live service.
 */

type Handle<Record> = (request: ServiceRequest, record: Record) => Answer;
type On<Record> = (method: string, path: string, needed: Needed, handler: Handle<Record>) => Route;

type PolicyOwner = StoredWorkspace | StoredOrganization;

function policyRoutes<Record extends PolicyOwner>(
  on: On<Record>,
  save: (request: ServiceRequest, record: Record, retention: StoredRetention | null) => void,
): readonly Route[] {
  const onPolicy = (method: string, needed: Needed, handler: Handle<Record>) =>
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
    onPolicy('GET', 'read', answerPolicy),
    onPolicy('POST', 'admin', write),
    // In some versions.
    onPolicy('PATCH', 'admin', write),
    onPolicy('DELETE', 'admin', (request, record) => {
      if (!record.retention) return answerPolicy(request, record);
      save(request, record, null);
      return noContent;
    }),
  ];
}

const workspaceRetention = policyRoutes<StoredWorkspace>(onWorkspace, (request, workspace, retention) =>
  saveWorkspace(request, { ...workspace, retention }),
);

const organizationRetention = policyRoutes<StoredOrganization>(
  onOrganization,
  ({ world }, organization, retention) => world.store.put('organizations', { ...organization, retention }),
);

/** The target of the document shows whether the policy is the workspace's own or the organization's. */
function answerPolicy(request: ServiceRequest, record: PolicyOwner): Answer {
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

function readRetention({ body, world }: ServiceRequest, { id, retention }: PolicyOwner): StoredRetention {
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

interface Holder<Record extends StoredWorkspace | StoredProject> {
  readonly on: On<Record>;
  save(request: ServiceRequest, record: Record, bindings: TagBindings): Record;
  effective(request: ServiceRequest, record: Record): readonly EffectiveBinding[];
}

const workspaces: Holder<StoredWorkspace> = {
  on: onWorkspace,
  save: (request, workspace, bindings) => saveWorkspace(request, { ...workspace, bindings }),
  effective: ({ world }, workspace) => bindingsInEffect(world.store, workspace),
};

const projects: Holder<StoredProject> = {
  on: (method, path, needed, handler) =>
    route(method, `/projects/:id${path}`, (request) => {
      const project = findProject(request);
      const { 'can-manage-tags': mayWrite } = projectPermissions(request.world, project, request.caller);
      if (needed === 'admin' && !mayWrite) throw notFound();
      return handler(request, project);
    }),
  save: ({ world }, project, bindings) => {
    const saved = { ...project, bindings };
    world.store.put('projects', saved);
    return saved;
  },
  effective: (_, project) => storedBindings(project),
};

function answerBindings(
  bindings: readonly EffectiveBinding[],
  type: 'tag-bindings' | 'effective-tag-bindings' = 'tag-bindings',
): Answer {
  return json(200, { data: bindings.map((binding) => bindingResource(binding, type)) });
}

function bindingsIn(request: ServiceRequest, before: TagBindings): TagBindings {
  const errors: ErrorObject[] = [];
  const given = readResourceList(request.body).map((resource) => resource.attributes);
  const bindings = readBindings(given, errors, before);
  refuseInvalid(errors);
  return bindings;
}

function bindingRoutes<Record extends StoredWorkspace | StoredProject>(holder: Holder<Record>) {
  const { on, save, effective } = holder;
  const list = (_: ServiceRequest, record: Record) => answerBindings(storedBindings(record));
  const upsert = (request: ServiceRequest, record: Record) =>
    save(request, record, bindingsIn(request, record.bindings ?? {}));
  return [
    on('GET', '/tag-bindings', 'read', list),
    on('PATCH', '/tag-bindings', 'admin', (...at) => answerBindings(storedBindings(upsert(...at)))),
    on('GET', '/relationships/tag-bindings', 'read', list),
    on('POST', '/relationships/tag-bindings', 'admin', (...at) => {
      upsert(...at);
      return noContent;
    }),
    on('PATCH', '/relationships/tag-bindings', 'admin', (request, record) => {
      save(request, record, bindingsIn(request, {}));
      return noContent;
    }),
    on('GET', '/effective-tag-bindings', 'read', (...at) =>
      answerBindings(effective(...at), 'effective-tag-bindings'),
    ),
  ];
}

export const ownedRoutes: RouteSet = {
  interface: workspaceRetention,
  live: [...bindingRoutes(workspaces), ...bindingRoutes(projects), ...organizationRetention],
};
