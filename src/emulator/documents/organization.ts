import type { OrganizationRecord } from '../store/records.ts';
import { hasAssessments, type World } from '../world.ts';
import { type Resource, toOne } from './resource.ts';

/** An organization's JSON:API id is its name. */
export function organizationResource(
  world: World,
  organization: OrganizationRecord,
  owner: boolean,
): Resource {
  const { id } = organization;
  return {
    id,
    type: 'organizations',
    attributes: {
      name: id,
      'external-id': `org-${id}`,
      'created-at': organization.createdAt,
      'default-execution-mode': organization.defaultExecutionMode,
      'allow-force-delete-workspaces': organization.allowForceDelete,
      ...(hasAssessments(world) && { 'assessments-enforced': organization.assessmentsEnforced }),
      permissions: {
        'can-update': owner,
        'can-destroy': owner,
        'can-access-via-teams': true,
        'can-create-team': owner,
        'can-create-workspace': owner,
        'can-create-project': owner,
        'can-manage-tags': owner,
        'can-update-agent-pools': owner,
        'can-update-oauth': owner,
        'can-update-ssh-keys': owner,
        'can-traverse': true,
      },
    },
    relationships: {
      'default-agent-pool': toOne('agent-pools', organization.defaultAgentPool),
      'default-project': toOne('projects', organization.defaultProject),
      'entitlement-set': {
        ...toOne('entitlement-sets', entitlementId(organization)),
        links: { related: `/api/v2/organizations/${id}/entitlement-set` },
      },
    },
    links: { self: `/api/v2/organizations/${id}` },
  };
}

/** Everything is entitled: what a plan may lack is not this service's business. */
export function entitlementResource(organization: OrganizationRecord): Resource {
  return {
    id: entitlementId(organization),
    type: 'entitlement-sets',
    attributes: {
      agents: true,
      operations: true,
      'state-storage': true,
      teams: true,
      'vcs-integrations': true,
      'run-tasks': true,
      sso: true,
      'policy-enforcement': true,
      'cost-estimation': true,
      'private-module-registry': true,
      'private-run-tasks': true,
      'user-limit': null,
      'policy-limit': null,
    },
    links: { self: `/api/v2/entitlement-sets/${entitlementId(organization)}` },
  };
}

function entitlementId(organization: OrganizationRecord): string {
  return `org-${organization.id}`;
}
