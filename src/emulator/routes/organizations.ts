import { isMember, isOwner } from '../callers.ts';
import type { AnsweredResource } from '../documents/answered-resource.ts';
import { projectResource } from '../documents/named-resources.ts';
import { entitlementResource, organizationResource } from '../documents/organization-resource.ts';
import { includesOf, nameFilter, pageOf, withIncluded } from '../documents/pages.ts';
import { tagResource } from '../documents/tag-resources.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { defaultPoolErrors } from '../rules/execution.ts';
import { givenId, type InputResource, readResource } from '../rules/request-document.ts';
import { organizationSettings, readWrittenSettings } from '../rules/written-settings.ts';
import { seedOrganization } from '../seed/seed-organization.ts';
import { collectionNames, type StoredOrganization } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { findOwned, findRequestedOrganization } from './find-requested.ts';

function listOrganizations(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const filter = nameFilter(query);
  const visible = world.store
    .all('organizations')
    .filter(
      ({ id, settings }) => isMember(caller, id) && (filter(id) || filter(String(settings.email ?? ''))),
    );
  return pageOf(request, visible, (organization) =>
    organizationResource(world, organization, isOwner(caller, organization.id)),
  );
}

function showOrganization(request: ServiceRequest): Answer {
  const { world, caller } = request;
  const organization = findRequestedOrganization(request);
  const data = organizationResource(world, organization, isOwner(caller, organization.id));
  return json(200, { data, ...withIncluded(request, [organization], (one) => includedIn(request, one)) });
}

function* includedIn(request: ServiceRequest, organization: StoredOrganization): Generator<AnsweredResource> {
  const { world, caller } = request;
  const names = includesOf(request);
  if (names.includes('entitlement_set')) yield entitlementResource(organization);
  const project = world.store.get('projects', organization.defaultProject);
  if (project && names.includes('default_project')) yield projectResource(world, project, caller);
}

/** All tags of the organization's workspaces. */
function listOrganizationTags(request: ServiceRequest): Answer {
  const { world, query } = request;
  const organization = findRequestedOrganization(request);
  const filter = nameFilter(query);
  const tags = world.store
    .all('tags')
    .filter((tag) => tag.organization === organization.id && filter(tag.name));
  return pageOf(request, tags, (tag) => tagResource(world, tag));
}

export const organizationRoutes: readonly Route[] = [
  ['GET', '/account/details', showAccount],
  ['GET', '/organizations', listOrganizations],
  ['GET', '/organizations/:organization', showOrganization],
  [
    'GET',
    '/organizations/:organization/entitlement-set',
    (request) => json(200, { data: entitlementResource(findRequestedOrganization(request)) }),
  ],
  ['GET', '/organizations/:organization/tags', listOrganizationTags],
];

/** The user of the token. A team's or an organization's token has a separate user, and shows whose it is. */
function showAccount({ caller }: ServiceRequest): Answer {
  const { user, holder, organization } = caller;
  const isUser = holder.type === 'users';
  return json(200, {
    data: {
      id: user,
      type: 'users',
      attributes: {
        username: isUser ? user.replace(/^user-/, '') : `api-${holder.type.slice(0, -1)}-${holder.id}`,
        'is-service-account': !isUser,
        permissions: { 'can-create-organization': organization === null || isOwner(caller, organization) },
      },
      relationships: { 'authenticated-resource': { data: holder } },
      links: { self: `/api/v2/users/${user}` },
    },
  });
}

/** POST /organizations: includes a default project and a team of owners, which every organization has */
function createOrganization(request: ServiceRequest): Answer {
  const { world, caller } = request;
  if (caller.organization !== null || caller.role !== 'owner') throw notFound();
  const resource = readResource(request.body, 'organizations');
  const name = readOrganizationName(request, resource, undefined);
  const errors = [...name.errors];
  if (!resource.attributes.email) errors.push(invalid('/data/attributes/email', "Email can't be blank"));
  const resolved = resolve(request, resource, undefined, errors);
  refuseInvalid(errors);
  seedOrganization({
    world,
    organization: name.name,
    seed: { teams: { owners: null } },
    path: [],
    locate: () => 'request',
  });
  const seeded = world.store.get('organizations', name.name);
  if (!seeded) throw notFound();
  return answer(request, { ...seeded, ...resolved, externalId: world.store.nextId('org', name.name) }, 201);
}

/** PATCH /organizations/:organization. The id is the name, so a rename stores all of its objects again. */
function updateOrganization(request: ServiceRequest): Answer {
  const { store } = request.world;
  const before = findOwned(request);
  const resource = readResource(request.body, 'organizations');
  const { name, errors } = readOrganizationName(request, resource, before);
  const resolved = resolve(request, resource, before, errors);
  refuseInvalid(errors);
  const externalId = before.externalId ?? `org-${before.id}`;
  if (name !== before.id) moveEverything(store, before.id, name);
  return answer(request, { ...before, ...resolved, id: name, externalId });
}

function deleteOrganization(request: ServiceRequest): Answer {
  const { store } = request.world;
  const { id } = findOwned(request);
  for (const project of store.all('projects').filter(({ organization }) => organization === id)) {
    for (const grant of store.grantsOf(project.id)) store.remove('grants', grant.id);
  }
  for (const collection of ownedCollections) {
    for (const record of store.all(collection))
      if (record.organization === id) store.remove(collection, record.id);
  }
  store.remove('organizations', id);
  return noContent;
}

const ownedCollections = collectionNames.filter(
  (name) => name !== 'organizations' && name !== 'grants' && name !== 'generations',
);

function moveEverything(store: Store, from: string, to: string): void {
  for (const collection of ownedCollections) {
    for (const record of store.all(collection)) {
      if (record.organization !== from) continue;
      store.remove(collection, record.id);
      store.put(collection, { ...record, organization: to } as never);
    }
  }
  store.remove('organizations', from);
}

function answer(request: ServiceRequest, organization: StoredOrganization, status = 200): Answer {
  const { world, caller } = request;
  world.store.put('organizations', organization);
  const owner = isOwner(caller, organization.id);
  return json(status, { data: organizationResource(world, organization, owner) });
}

function readOrganizationName(
  { world }: ServiceRequest,
  resource: InputResource,
  before: StoredOrganization | undefined,
) {
  const { name = before?.id } = resource.attributes;
  const pointer = '/data/attributes/name';
  const errors: ErrorObject[] = [];
  if (typeof name !== 'string' || name === '') errors.push(invalid(pointer, "Name can't be blank"));
  else if (!/^[A-Za-z0-9_-]{3,40}$/.test(name) && name !== before?.id)
    errors.push(invalid(pointer, 'Name may only contain 3 to 40 letters, numbers, -, and _'));
  else if (name !== before?.id && isTaken(world.store, name))
    errors.push(invalid(pointer, 'Name has already been taken'));
  return { name: String(name), errors };
}

function isTaken(store: Store, name: string): boolean {
  return store.all('organizations').some(({ id }) => id.toLowerCase() === name.toLowerCase());
}

function resolve(
  { world }: ServiceRequest,
  resource: InputResource,
  before: StoredOrganization | undefined,
  errors: ErrorObject[],
): Partial<StoredOrganization> {
  const written = readWrittenSettings(organizationSettings, resource.attributes, errors);
  const settings = { ...before?.settings, ...written };
  const mode = settings['default-execution-mode'];
  const given = givenId(resource, 'default-agent-pool');
  const pool = given ?? (mode === 'agent' ? (before?.defaultAgentPool ?? null) : null);
  const isPool = (id: string) => world.store.get('agentPools', id)?.organization === before?.id;
  const pointer = '/data/relationships/default-agent-pool';
  errors.push(...defaultPoolErrors({ mode, pool, isPool, pointer }));
  return {
    settings,
    defaultAgentPool: pool,
  };
}

export const writeOrganizationRoutes: readonly Route[] = [
  ['POST', '/organizations', createOrganization],
  ['PATCH', '/organizations/:organization', updateOrganization],
  ['PUT', '/organizations/:organization', updateOrganization],
  ['DELETE', '/organizations/:organization', deleteOrganization],
];
