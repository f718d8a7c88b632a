import { organizationSettings, shownSettings } from '../rules/written-settings.ts';
import type { StoredOrganization } from '../store/records.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import { type AnsweredResource, retentionType, toOne, words } from './answered-resource.ts';

/** An organization's JSON:API id is its name. */
export function organizationResource(
  world: World,
  organization: StoredOrganization,
  owner: boolean,
): AnsweredResource {
  const { id, retention } = organization;
  const path = `/api/v2/organizations/${id}`;
  const { 'assessments-enforced': enforced, ...settings } = shownSettings(
    organizationSettings,
    organization.settings,
  );
  return {
    id,
    type: 'organizations',
    attributes: {
      ...settings,
      ...(hasAssessments(world) && { 'assessments-enforced': enforced }),
      ...readOnly(world),
      name: id,
      'external-id': entitlementId(organization),
      'created-at': organization.createdAt,
      permissions: {
        ...Object.fromEntries(ownerPermissions.map((permission) => [permission, owner])),
        // The neutral dialect names no product.
        ...(world.dialect === 'terraform' && { 'can-update-sentinel': owner }),
        'can-access-via-teams': true,
        'can-traverse': true,
      },
    },
    relationships: {
      'default-agent-pool': toOne('agent-pools', organization.defaultAgentPool),
      'default-project': toOne('projects', organization.defaultProject),
      'entitlement-set': {
        ...toOne('entitlement-sets', entitlementId(organization)),
        links: { related: `${path}/entitlement-set` },
      },
      'oauth-tokens': { links: { related: `${path}/oauth-tokens` } },
      'authentication-token': { links: { related: `${path}/authentication-token` } },
      subscription: { data: null, links: { related: `${path}/subscription` } },
      ...(hasDataRetention(world) && {
        'data-retention-policy': retention ? toOne(retentionType(retention), retention.id) : { data: null },
      }),
    },
    links: { self: path },
  };
}

/** Attributes that no request changes. */
function readOnly({ edition }: World): Record<string, unknown> {
  const isSelfHosted = edition === 'self-hosted';
  return {
    ...Object.fromEntries(
      [...off, ...(isSelfHosted ? sharing : ['is-unified'])].map((name) => [name, false]),
    ),
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
`).map((name) => `can-${name}`);

/** Every feature is entitled: the emulator does not model subscriptions. */
export function entitlementResource(organization: StoredOrganization): AnsweredResource {
  return {
    id: entitlementId(organization),
    type: 'entitlement-sets',
    attributes: {
      ...Object.fromEntries(entitlements.map((entitlement) => [entitlement, true])),
      ...Object.fromEntries(limits.map((limit) => [limit, null])),
      'self-serve-billing': false,
      'agents-ceiling': 10,
    },
    links: { self: `/api/v2/entitlement-sets/${entitlementId(organization)}` },
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

function entitlementId(organization: StoredOrganization): string {
  return organization.externalId ?? `org-${organization.id}`;
}
