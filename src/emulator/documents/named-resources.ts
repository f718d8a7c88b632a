import type { PermissionPath } from '../../model/attribute-values.ts';
import type { Permission } from '../../model/permissions.ts';
import { hasProjectPermission, isOwner, managesWorkspaces, type RequestSender } from '../callers.ts';
import { executionDefaults } from '../rules/execution.ts';
import { storedBindings } from '../rules/tag-rules.ts';
import {
  connectionSettings,
  organizationAccess,
  projectSettings,
  shownSettings,
  teamSettings,
} from '../rules/written-settings.ts';
import type {
  StoredAgentPool,
  StoredEntity,
  StoredProject,
  StoredTeam,
  StoredVcsConnection,
} from '../store/records.ts';
import type { World } from '../world.ts';
import { type AnsweredResource, toOne, words } from './answered-resource.ts';
import { bindingsRelationship } from './tag-resources.ts';

export function projectResource(
  world: World,
  project: StoredProject,
  caller: RequestSender,
  includes: readonly string[] = [],
): AnsweredResource {
  const { mode, agentPool } = executionDefaults(world.store, project.organization, project);
  const own = project.executionMode !== undefined;
  const base = named('projects', project);
  const path = `/api/v2/projects/${project.id}`;
  return {
    ...base,
    attributes: {
      name: project.name,
      'created-at': project.createdAt,
      ...shownSettings(projectSettings, project.settings),
      'default-execution-mode': mode,
      'setting-overwrites': { 'default-execution-mode': own, 'default-agent-pool': own },
      'team-count': world.store.grantsOf(project.id).length,
      'workspace-count': world.store.workspaces
        .all(project.organization)
        .filter((workspace) => workspace.project === project.id).length,
      ...(world.dialect === 'terraform' && { 'stack-count': project.stacks ?? 0 }),
      permissions: projectPermissions(world, project, caller),
    },
    relationships: {
      ...base.relationships,
      'default-agent-pool': toOne('agent-pools', agentPool),
      ...(world.dialect === 'terraform' && {
        'tag-bindings': { links: { related: `${path}/tag-bindings` } },
        'effective-tag-bindings': bindingsRelationship(
          path,
          includes.includes('effective_tag_bindings') ? storedBindings(project) : undefined,
        ),
      }),
    },
  };
}

/** What the caller may do with a project: owners everything, others what the access of their teams includes. */
export function projectPermissions(
  { store }: World,
  project: StoredProject,
  caller: RequestSender,
): Readonly<Record<string, boolean>> {
  const owner = isOwner(caller, project.organization);
  const may = (path: PermissionPath, least: Permission) =>
    owner || hasProjectPermission(store, caller, project.id, path, least);
  const updates = may('project-access.settings', 'update');
  return {
    'can-read': true,
    'can-view-stacks': true,
    ...Object.fromEntries(ofOwners.map((name) => [`can-${name}`, owner])),
    'can-update': updates,
    'can-manage-tags': updates,
    'can-manage-ephemeral-workspace-for-projects': updates,
    'can-destroy': may('project-access.settings', 'delete'),
    'can-create-workspace':
      managesWorkspaces(caller, project.organization) || may('workspace-access.create', true),
    'can-move-workspace': may('workspace-access.move', true),
    'can-read-teams': may('project-access.teams', 'read'),
    'can-manage-teams': may('project-access.teams', 'manage'),
    'can-manage-varsets': may('project-access.variable-sets', 'write'),
  };
}

const ofOwners = words('move-stack manage-stacks update-stacks deploy-no-code-modules');

export function teamResource(world: World, team: StoredTeam, caller: RequestSender): AnsweredResource {
  const owner = isOwner(caller, team.organization);
  const base = named('teams', team);
  const members = world.store
    .all('tokens')
    .flatMap(({ kind = 'user', teams, user }) => (kind === 'user' && teams.includes(team.id) ? user : []));
  return {
    ...base,
    attributes: {
      name: team.name,
      ...shownSettings(teamSettings, team.settings),
      visibility: team.secret ? 'secret' : 'organization',
      'users-count': members.length,
      'organization-access': Object.fromEntries(
        organizationAccess.map((name) => [name, team.organizationAccess?.includes(name) ?? false]),
      ),
      permissions: Object.fromEntries(teamPermissions.map((name) => [name, owner])),
    },
    relationships: {
      ...base.relationships,
      users: toMany('users', members),
      'authentication-token': { links: { related: `/api/v2/teams/${team.id}/authentication-token` } },
    },
  };
}

const teamPermissions = words(`
  update-membership destroy update-organization-access update-api-token update-visibility update-name
  update-sso-team-id update-member-token-management view-api-token
`).map((name) => `can-${name}`);

/** The key itself is never returned. */
export function sshKeyResource(key: StoredEntity): AnsweredResource {
  return named('ssh-keys', key);
}

export function agentPoolResource(world: World, pool: StoredAgentPool): AnsweredResource {
  const base = named('agent-pools', pool);
  const path = `/api/v2/agent-pools/${pool.id}`;
  const createdAt = pool.createdAt ?? world.store.get('organizations', pool.organization)?.createdAt ?? null;
  const users = world.store.workspaces
    .all(pool.organization)
    .filter((workspace) => workspace.attributes['agent-pool-id'] === pool.id);
  return {
    ...base,
    attributes: {
      ...base.attributes,
      'created-at': createdAt,
      'organization-scoped': pool.organizationScoped ?? true,
      'agent-count': 0,
    },
    relationships: {
      ...base.relationships,
      agents: { links: { related: `${path}/agents` } },
      'authentication-tokens': { links: { related: `${path}/authentication-tokens` } },
      workspaces: toMany(
        'workspaces',
        users.map(({ id }) => id),
      ),
      'allowed-workspaces': toMany('workspaces', pool.allowedWorkspaces),
      'allowed-projects': toMany('projects', pool.allowedProjects),
      'excluded-workspaces': toMany('workspaces', pool.excludedWorkspaces),
    },
  };
}

export function oauthClientResource(world: World, connection: StoredVcsConnection): AnsweredResource {
  const { client, provider, id, organization } = connection;
  const createdAt = connection.createdAt ?? world.store.get('organizations', organization)?.createdAt ?? null;
  const uuid = client.slice(client.indexOf('-') + 1);
  return {
    id: client,
    type: 'oauth-clients',
    attributes: {
      ...shownSettings(connectionSettings, connection.settings),
      name: connection.name === '' ? null : connection.name,
      'created-at': createdAt,
      'updated-at': createdAt,
      'callback-url': `https://vcs.example.com/auth/${uuid}/callback`,
      'connect-path': `/auth/${uuid}?organization_id=1`,
      'service-provider': provider,
      'service-provider-display-name': providerNames.get(provider) ?? provider,
      'organization-scoped': connection.organizationScoped ?? true,
      secret: null,
      uuid,
    },
    relationships: {
      organization: toOne('organizations', organization),
      'agent-pool': toOne('agent-pools', connection.agentPool ?? null),
      projects: toMany('projects', connection.projects),
      'oauth-tokens': {
        ...toMany('oauth-tokens', connection.tokenless ? [] : [id]),
        links: { related: `/api/v2/oauth-clients/${client}/oauth-tokens` },
      },
    },
    links: { self: `/api/v2/oauth-clients/${client}` },
  };
}

const providerNames: ReadonlyMap<string, string> = new Map([
  ['github', 'GitHub'],
  ['github_enterprise', 'GitHub Enterprise'],
  ['gitlab_hosted', 'GitLab.com'],
  ['bitbucket_data_center', 'Bitbucket Data Center'],
]);

/** The name is the connection's, because a token has none. */
export function oauthTokenResource(world: World, connection: StoredVcsConnection): AnsweredResource {
  const { id, client, provider, organization } = connection;
  return {
    id,
    type: 'oauth-tokens',
    attributes: {
      'created-at': connection.createdAt ?? world.store.get('organizations', organization)?.createdAt ?? null,
      'service-provider-user': provider,
      'has-ssh-key': connection.hasSshKey ?? false,
    },
    relationships: { 'oauth-client': toOne('oauth-clients', client) },
    links: { self: `/api/v2/oauth-tokens/${id}` },
  };
}

function toMany(type: string, ids: readonly string[] = []) {
  return { data: ids.map((id) => ({ id, type })) };
}

function named(type: string, { id, name, organization }: StoredEntity): AnsweredResource {
  return {
    id,
    type,
    attributes: { name },
    relationships: { organization: toOne('organizations', organization) },
    links: { self: `/api/v2/${type}/${id}` },
  };
}
