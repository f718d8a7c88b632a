import { executionModes } from '../../model/attribute-table.ts';
import { isMember, isOwner } from '../callers.ts';
import {
  type AnsweredResource,
  each,
  includesOf,
  linked,
  nameFilter,
  pageOf,
  retentionIdentifier,
  tagResource,
  toOne,
  withIncluded,
  words,
} from '../documents/resource.ts';
import type { RouteSet, ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  type ErrorObject,
  invalidAttribute,
  json,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import { defaultPoolErrors } from '../rules/execution.ts';
import { givenId, type InputResource, readResource } from '../rules/request-document.ts';
import { setting, shownSettings, writtenSettings } from '../rules/settings.ts';
import { seedOrganization } from '../seed/seed-organization.ts';
import { collectionNames, type Store, type StoredOrganization } from '../store/store.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import { onOrganization } from './finders.ts';
import { projectResource } from './projects.ts';

const settings = {
  email: { default: '', type: 'string' },
  'session-timeout': setting.count,
  'session-remember': setting.count,
  'collaborator-auth-policy': setting.choice(['password', 'two_factor_mandatory']),
  'cost-estimation-enabled': setting.flag(false),
  'send-passing-statuses-for-untriggered-speculative-plans': setting.flag(false),
  'aggregated-commit-status-enabled': setting.flag(true),
  'speculative-plan-management-enabled': setting.flag(true),
  'saml-enabled': setting.flag(false),
  'owners-team-saml-role-id': setting.text,
  'two-factor-conformant': setting.flag(false),
  'user-tokens-enabled': setting.flag(true),
  'stacks-enabled': setting.flag(false),
  'stacks-default-execution-mode': setting.choice(['remote', 'agent']),
  'recoverable-items-enabled': setting.flag(false),
  'enforce-hyok': setting.flag(false),
  'max-ttl-enabled': setting.flag(false),
  'default-execution-mode': setting.choice(executionModes),
  'allow-force-delete-workspaces': setting.flag(false),
  'assessments-enforced': setting.flag(false),
} as const;

export const organizationRoutes: RouteSet = {
  common: [
    ['GET', '/account/details', showAccount],
    ['GET', '/organizations', listOrganizations],
    onOrganization('GET', '', 'read', (request, organization) => {
      const included = withIncluded(request, [organization], (one) => includedIn(request, one));
      return json(200, { data: organizationResource(request, organization), ...included });
    }),
    onOrganization('GET', '/entitlement-set', 'read', (_, organization) =>
      json(200, { data: entitlementResource(organization) }),
    ),
    onOrganization('GET', '/tags', 'read', (request, { id }) => {
      const { store } = request.world;
      const isNamed = nameFilter(request.query);
      const tags = store.ownedBy(id, 'tags').filter((tag) => isNamed(tag.name));
      return pageOf(request, tags, (tag) => tagResource(request.world, tag));
    }),
  ],
  live: [
    ['POST', '/organizations', createOrganization],
    onOrganization('PATCH', '', 'admin', updateOrganization),
    onOrganization('PUT', '', 'admin', updateOrganization),
    onOrganization('DELETE', '', 'admin', deleteOrganization),
  ],
};

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

function listOrganizations(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const isNamed = nameFilter(query);
  const visible = world.store
    .all('organizations')
    .filter((one) => isMember(caller, one.id))
    .filter((one) => isNamed(one.id) || isNamed(String(one.settings.email ?? '')));
  return pageOf(request, visible, (organization) => organizationResource(request, organization));
}

function* includedIn(request: ServiceRequest, organization: StoredOrganization): Generator<AnsweredResource> {
  const names = includesOf(request);
  if (names.includes('entitlement_set')) yield entitlementResource(organization);
  const project = request.world.store.get('projects', organization.defaultProject);
  if (project && names.includes('default_project')) yield projectResource(request, project);
}

function createOrganization(request: ServiceRequest): Answer {
  const { world, caller, body } = request;
  if (caller.organization !== null || caller.role !== 'owner') throw notFound();
  const resource = readResource(body, 'organizations');
  const errors: ErrorObject[] = [];
  const name = readName(world.store, resource, undefined, errors);
  if (!resource.attributes.email) errors.push(invalidAttribute('email', "Email can't be blank"));
  const resolved = resolve(world.store, resource, undefined, errors);
  refuseInvalid(errors);
  const seed = { teams: { owners: null } };
  seedOrganization({ world, organization: name, seed, path: [], source: 'request' });
  const seeded = world.store.get('organizations', name);
  if (!seeded) throw notFound();
  return answerStored(request, { ...seeded, ...resolved, externalId: world.store.nextId('org', name) }, 201);
}

/** The id is the name, so a rename stores all of its objects again. */
function updateOrganization(request: ServiceRequest, before: StoredOrganization): Answer {
  const { store } = request.world;
  const resource = readResource(request.body, 'organizations');
  const errors: ErrorObject[] = [];
  const id = readName(store, resource, before, errors);
  const resolved = resolve(store, resource, before, errors);
  refuseInvalid(errors);
  if (id !== before.id) takeEverything(store, before.id, id);
  return answerStored(request, { ...before, ...resolved, id, externalId: externalId(before) });
}

function deleteOrganization({ world: { store } }: ServiceRequest, { id }: StoredOrganization): Answer {
  for (const project of store.ownedBy(id, 'projects'))
    for (const grant of store.grantsOf(project.id)) store.remove('grants', grant.id);
  takeEverything(store, id);
  return noContent;
}

const ownedCollections = collectionNames.filter(
  (name) => name !== 'organizations' && name !== 'grants' && name !== 'generations',
);

/** Removes an organization with all that it owns, or moves that to another one. */
function takeEverything(store: Store, from: string, to?: string): void {
  for (const collection of ownedCollections)
    for (const record of store.all(collection)) {
      if (record.organization !== from) continue;
      store.remove(collection, record.id);
      if (to !== undefined) store.put(collection, { ...record, organization: to } as never);
    }
  store.remove('organizations', from);
}

function answerStored(request: ServiceRequest, organization: StoredOrganization, status = 200): Answer {
  request.world.store.put('organizations', organization);
  return json(status, { data: organizationResource(request, organization) });
}

function readName(
  store: Store,
  { attributes }: InputResource,
  before: StoredOrganization | undefined,
  errors: ErrorObject[],
): string {
  const { name = before?.id } = attributes;
  const wrong = (detail: string) => errors.push(invalidAttribute('name', detail));
  if (typeof name !== 'string' || name === '') wrong("Name can't be blank");
  else if (name !== before?.id) {
    const isTaken = store.all('organizations').some(({ id }) => id.toLowerCase() === name.toLowerCase());
    if (!/^[A-Za-z0-9_-]{3,40}$/.test(name))
      wrong('Name may only contain 3 to 40 letters, numbers, -, and _');
    else if (isTaken) wrong('Name has already been taken');
  }
  return String(name);
}

function resolve(
  store: Store,
  resource: InputResource,
  before: StoredOrganization | undefined,
  errors: ErrorObject[],
): Pick<StoredOrganization, 'settings' | 'defaultAgentPool'> {
  const written = { ...before?.settings, ...writtenSettings(settings, resource.attributes, errors) };
  const mode = written['default-execution-mode'];
  const given = givenId(resource, 'default-agent-pool');
  const pool = given ?? (mode === 'agent' ? (before?.defaultAgentPool ?? null) : null);
  const isPool = pool !== null && store.get('agentPools', pool)?.organization === before?.id;
  errors.push(...defaultPoolErrors(mode, pool, isPool, '/data/relationships/default-agent-pool'));
  return { settings: written, defaultAgentPool: pool };
}

export function organizationResource(
  { world, caller }: ServiceRequest,
  organization: StoredOrganization,
): AnsweredResource {
  const { id, retention } = organization;
  const owner = isOwner(caller, id);
  const path = `/api/v2/organizations/${id}`;
  const { 'assessments-enforced': enforced, ...shown } = shownSettings(settings, organization.settings);
  return {
    id,
    type: 'organizations',
    attributes: {
      ...shown,
      'assessments-enforced': hasAssessments(world) ? enforced : undefined,
      ...readOnly(world),
      name: id,
      'external-id': externalId(organization),
      'created-at': organization.createdAt,
      permissions: {
        ...each(ownerPermissions, owner, 'can-'),
        // The neutral dialect names no product.
        'can-update-sentinel': world.dialect === 'terraform' ? owner : undefined,
        'can-access-via-teams': true,
        'can-traverse': true,
      },
    },
    relationships: {
      'default-agent-pool': toOne('agent-pools', organization.defaultAgentPool),
      'default-project': toOne('projects', organization.defaultProject),
      'entitlement-set': {
        ...toOne('entitlement-sets', externalId(organization)),
        ...linked(`${path}/entitlement-set`),
      },
      'oauth-tokens': linked(`${path}/oauth-tokens`),
      'authentication-token': linked(`${path}/authentication-token`),
      subscription: { data: null, ...linked(`${path}/subscription`) },
      'data-retention-policy': hasDataRetention(world)
        ? { data: retention && retentionIdentifier(retention) }
        : undefined,
    },
    links: { self: path },
  };
}

function readOnly({ edition }: World): object {
  const isSelfHosted = edition === 'self-hosted';
  return {
    ...each(off.concat(isSelfHosted ? sharing : 'is-unified'), false),
    'plan-expires-at': null,
    'plan-is-enterprise': isSelfHosted,
    'plan-identifier': isSelfHosted ? 'enterprise' : 'business',
    'remaining-testable-count': 10,
  };
}

const off = words(`
  plan-expired plan-is-trial fair-run-queuing-enabled is-in-degraded-mode over-stacks-resource-limit
  test-generation-enabled
`);
const sharing = words('global-module-sharing global-provider-sharing');

const ownerPermissions = words(`
  update update-authentication-token view-authentication destroy create-module create-team
  create-workspace create-workspace-migration manage-users view-users manage-subscription manage-sso
  update-oauth update-ssh-keys update-api-token view-usage update-agent-pools
  manage-tags manage-varsets read-varsets manage-public-providers create-provider manage-public-modules
  manage-custom-providers manage-run-tasks read-run-tasks create-project enable-stacks
  manage-org-public-providers manage-org-public-modules manage-assessments read-assessments
  view-explorer deploy-no-code-modules manage-no-code-modules manage-auditing manage-recoverable-items
`);

/** Every feature is entitled: the emulator does not model subscriptions. */
function entitlementResource(organization: StoredOrganization): AnsweredResource {
  const id = externalId(organization);
  return {
    id,
    type: 'entitlement-sets',
    attributes: {
      ...each(entitlements, true),
      ...each(limits, null),
      'self-serve-billing': false,
      'agents-ceiling': 10,
    },
    links: { self: `/api/v2/entitlement-sets/${id}` },
  };
}

const entitlements = words(`
  agents assessments audit-logging change-requests configuration-designer cost-estimation
  global-run-tasks infragraph module-tests-generation operations policy-enforcement
  private-module-registry private-policy-agents private-run-tasks private-vcs run-tasks sentinel sso
  state-storage teams usage-reporting vcs-integrations waypoint-templates-and-addons
`);

const limits = words(`
  user-limit policy-limit policy-set-limit run-task-limit run-task-workspace-limit
  run-task-mandatory-enforcement-limit versioned-policy-set-limit
`);

function externalId(organization: StoredOrganization): string {
  return organization.externalId ?? `org-${organization.id}`;
}
