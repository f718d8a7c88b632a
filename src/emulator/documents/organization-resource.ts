import { organizationSettings, shownSettings } from '../rules/written-settings.ts';
import type { StoredOrganization } from '../store/records.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import { type AnsweredResource, retentionType, toOne } from './answered-resource.ts';

/** An organization's JSON:API id is its name. */
export function organizationResource(
  world: World,
  organization: StoredOrganization,
  owner: boolean,
): AnsweredResource {
  const { id, retention } = organization;
  const path = `/api/v2/organizations/${id}`;
  return {
    id,
    type: 'organizations',
    attributes: {
      ...shownSettings(organizationSettings, organization.settings),
      ...readOnly(world),
      name: id,
      'external-id': entitlementId(organization),
      'created-at': organization.createdAt,
      'default-execution-mode': organization.defaultExecutionMode,
      'allow-force-delete-workspaces': organization.allowForceDelete,
      ...(hasAssessments(world) && { 'assessments-enforced': organization.assessmentsEnforced }),
      permissions: {
        ...Object.fromEntries(ownerPermissions.map((permission) => [permission, owner])),
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
function readOnly(world: World): Record<string, unknown> {
  return {
    'plan-expired': false,
    'plan-expires-at': null,
    'plan-is-trial': false,
    'plan-is-enterprise': world.edition === 'self-hosted',
    'plan-identifier': world.edition === 'self-hosted' ? 'enterprise' : 'business',
    'fair-run-queuing-enabled': false,
    'is-in-degraded-mode': false,
    'remaining-testable-count': 10,
    'over-stacks-resource-limit': false,
    'test-generation-enabled': false,
    ...(world.edition === 'self-hosted'
      ? {
          'global-module-sharing': false,
          'global-provider-sharing': false,
          'module-consuming-organizations-count': 0,
          'provider-consuming-organizations-count': 0,
        }
      : { 'is-unified': false }),
  };
}

const ownerPermissions = [
  'can-update',
  'can-update-authentication-token',
  'can-view-authentication',
  'can-destroy',
  'can-create-module',
  'can-create-team',
  'can-create-workspace',
  'can-create-workspace-migration',
  'can-manage-users',
  'can-view-users',
  'can-manage-subscription',
  'can-manage-sso',
  'can-update-oauth',
  'can-update-sentinel',
  'can-update-ssh-keys',
  'can-update-api-token',
  'can-view-usage',
  'can-update-agent-pools',
  'can-manage-tags',
  'can-manage-varsets',
  'can-read-varsets',
  'can-manage-public-providers',
  'can-create-provider',
  'can-manage-public-modules',
  'can-manage-custom-providers',
  'can-manage-run-tasks',
  'can-read-run-tasks',
  'can-create-project',
  'can-enable-stacks',
  'can-manage-org-public-providers',
  'can-manage-org-public-modules',
  'can-manage-assessments',
  'can-read-assessments',
  'can-view-explorer',
  'can-deploy-no-code-modules',
  'can-manage-no-code-modules',
  'can-manage-auditing',
  'can-manage-recoverable-items',
] as const;

/** Every feature is entitled: the emulator does not model subscriptions. */
export function entitlementResource(organization: StoredOrganization): AnsweredResource {
  return {
    id: entitlementId(organization),
    type: 'entitlement-sets',
    attributes: {
      ...Object.fromEntries(entitlements.map((entitlement) => [entitlement, true])),
      'self-serve-billing': false,
      'user-limit': null,
      'policy-limit': null,
      'policy-set-limit': null,
      'run-task-limit': null,
      'run-task-workspace-limit': null,
      'run-task-mandatory-enforcement-limit': null,
      'versioned-policy-set-limit': null,
      'agents-ceiling': 10,
    },
    links: { self: `/api/v2/entitlement-sets/${entitlementId(organization)}` },
  };
}

const entitlements = [
  'agents',
  'assessments',
  'audit-logging',
  'change-requests',
  'configuration-designer',
  'cost-estimation',
  'global-run-tasks',
  'infragraph',
  'module-tests-generation',
  'operations',
  'policy-enforcement',
  'private-module-registry',
  'private-policy-agents',
  'private-run-tasks',
  'private-vcs',
  'run-tasks',
  'sentinel',
  'sso',
  'state-storage',
  'teams',
  'usage-reporting',
  'vcs-integrations',
  'waypoint-templates-and-addons',
] as const;

function entitlementId(organization: StoredOrganization): string {
  return organization.externalId ?? `org-${organization.id}`;
}
