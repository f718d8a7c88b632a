import type { NamedRecord, ProjectRecord, TeamRecord, VcsConnectionRecord } from '../store/records.ts';
import type { World } from '../world.ts';
import { type Resource, toOne } from './resource.ts';

/** What workspaces and grants refer to, as far as a look-up by name needs it. */
export function projectResource(world: World, project: ProjectRecord): Resource {
  const organization = world.store.get('organizations', project.organization);
  return {
    ...named('projects', project),
    attributes: {
      name: project.name,
      description: project.description,
      'created-at': project.createdAt,
      'auto-destroy-activity-duration': null,
      'default-execution-mode': organization?.defaultExecutionMode ?? 'remote',
      'setting-overwrites': { 'default-execution-mode': false, 'default-agent-pool': false },
      'team-count': world.store.grantsOf(project.id).length,
    },
  };
}

export function teamResource(team: TeamRecord): Resource {
  return {
    ...named('teams', team),
    attributes: { name: team.name, visibility: team.secret ? 'secret' : 'organization', 'users-count': 0 },
  };
}

/** The key itself is never told. */
export function sshKeyResource(key: NamedRecord): Resource {
  return named('ssh-keys', key);
}

export function agentPoolResource(pool: NamedRecord): Resource {
  const base = named('agent-pools', pool);
  return { ...base, attributes: { ...base.attributes, 'organization-scoped': true, 'agent-count': 0 } };
}

export function oauthClientResource(connection: VcsConnectionRecord): Resource {
  const { client, provider, id, organization } = connection;
  return {
    id: client,
    type: 'oauth-clients',
    attributes: { name: connection.name, 'service-provider': provider, 'organization-scoped': true },
    relationships: {
      organization: toOne('organizations', organization),
      'oauth-tokens': {
        data: [{ id, type: 'oauth-tokens' }],
        links: { related: `/api/v2/oauth-clients/${client}/oauth-tokens` },
      },
    },
    links: { self: `/api/v2/oauth-clients/${client}` },
  };
}

/** A token has no name of its own. */
export function oauthTokenResource({ id, client, provider }: VcsConnectionRecord): Resource {
  return {
    id,
    type: 'oauth-tokens',
    attributes: { 'service-provider-user': provider, 'has-ssh-key': false },
    relationships: { 'oauth-client': toOne('oauth-clients', client) },
    links: { self: `/api/v2/oauth-tokens/${id}` },
  };
}

function named(type: string, { id, name, organization }: NamedRecord): Resource {
  return {
    id,
    type,
    attributes: { name },
    relationships: { organization: toOne('organizations', organization) },
    links: { self: `/api/v2/${type}/${id}` },
  };
}
