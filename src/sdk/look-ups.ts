import type { Query } from '../service/client.ts';
import { type PathParameters, pathTo } from '../service/endpoints.ts';
import type { PageQuery, ResourcePage, ServiceResource } from './resource.ts';
import { queryOf, type Wire } from './wire.ts';

/** The attributes of an object that has an id and a name. */
export interface NamedAttributes {
  readonly name: string;
}

/** An organization, as far as its defaults matter to workspaces. Its id is its name. */
export interface OrganizationDocument
  extends ServiceResource<
    'organizations',
    {
      readonly name: string;
      readonly 'allow-force-delete-workspaces'?: boolean;
      /** On the hosted offering only. */
      readonly 'assessments-enforced'?: boolean;
      readonly 'default-execution-mode'?: 'remote' | 'local' | 'agent';
      readonly 'external-id'?: string;
      /** Whether deleted workspaces can be recovered for some days; a public beta. */
      readonly 'recoverable-items-enabled'?: boolean;
      readonly permissions?: Readonly<Record<string, boolean>> | null;
    },
    'default-agent-pool' | 'default-project' | 'entitlement-set'
  > {}

/** A project; its name is unique in the organization, whatever the case. */
export interface ProjectDocument
  extends ServiceResource<
    'projects',
    NamedAttributes & {
      readonly description?: string | null;
      readonly 'auto-destroy-activity-duration'?: string | null;
      /** The mode in effect; {@link ProjectOverwrites} shows whether it is the project's own. */
      readonly 'default-execution-mode'?: 'remote' | 'local' | 'agent';
      readonly 'setting-overwrites'?: ProjectOverwrites | null;
      readonly 'workspace-count'?: number | null;
      readonly 'team-count'?: number | null;
      readonly 'stack-count'?: number | null;
      readonly permissions?: Readonly<Record<string, boolean>> | null;
    },
    'organization' | 'default-agent-pool'
  > {}

/** Which settings are the project's own. The others are those of the organization. */
export interface ProjectOverwrites {
  readonly 'default-execution-mode'?: boolean;
  readonly 'default-agent-pool'?: boolean;
}

/** A team. Secret teams are visible only to their members and to owners. */
export interface TeamDocument
  extends ServiceResource<
    'teams',
    NamedAttributes & { readonly visibility?: 'secret' | 'organization'; readonly 'users-count'?: number },
    'organization'
  > {}

/** An SSH key, without the key itself. */
export interface SshKeyDocument extends ServiceResource<'ssh-keys', NamedAttributes, 'organization'> {}

/** A pool of agents. */
export interface AgentPoolDocument
  extends ServiceResource<
    'agent-pools',
    NamedAttributes & { readonly 'agent-count'?: number; readonly 'organization-scoped'?: boolean },
    'organization'
  > {}

/** A VCS connection. Its token's id is what `oauth-token-id` of a repository takes. */
export interface OauthClientDocument
  extends ServiceResource<
    'oauth-clients',
    {
      readonly name?: string | null;
      readonly 'service-provider'?: string;
      readonly 'organization-scoped'?: boolean;
    },
    'oauth-tokens' | 'organization'
  > {}

/** The token of a VCS connection, without its secret. It has no name. */
export interface OauthTokenDocument
  extends ServiceResource<
    'oauth-tokens',
    { readonly 'service-provider-user'?: string; readonly 'has-ssh-key'?: boolean },
    'oauth-client'
  > {}

/** Filters of a list. */
export interface NameFilter {
  /** Any of these names, whatever their case. An older service ignores it: compare the names again. */
  readonly names?: readonly string[];
  /** A part of the name. */
  readonly search?: string;
}

/** The things of one kind that an organization has. */
export interface LookUpEndpoints<Resource> {
  /**
   * Reads all of them.
   *
   * @throws {@link ServiceError} 404 where the organization does not exist, the token may not see it, or the service has
   * no such things.
   * @example
   * ```ts
   * const [project] = await service.projects.list('acme', { names: ['Payments'] });
   * console.log(project?.id); // prj-payments
   * ```
   */
  list(organization: string, filter?: NameFilter): Promise<readonly Resource[]>;

  /**
   * Reads one page of them.
   *
   * @example
   * ```ts
   * const { totalCount } = await service.teams.page('acme', { size: 1 });
   * console.log(totalCount); // 2
   * ```
   */
  page(organization: string, query?: NameFilter & PageQuery): Promise<ResourcePage<Resource>>;

  /**
   * Reads one by its id.
   *
   * @throws {@link ServiceError} 404 where it does not exist, or the token may not see it.
   * @example
   * ```ts
   * const pool = await service.agentPools.show('apool-onprem');
   * console.log(pool.attributes.name); // onprem
   * ```
   */
  show(id: string): Promise<Resource>;
}

/** VCS connections, and their tokens. */
export interface OauthClientEndpoints extends LookUpEndpoints<OauthClientDocument> {
  /**
   * Reads the tokens of a connection.
   *
   * @throws {@link ServiceError} 404 where it does not exist, or the token may not see it.
   * @example
   * ```ts
   * const clients = await service.oauthClients.list('acme');
   * const github = clients.find(({ attributes }) => attributes.name === 'github');
   * const [token] = await service.oauthClients.tokens(github?.id ?? '');
   * console.log(token?.id); // ot-github
   * ```
   */
  tokens(id: string): Promise<readonly OauthTokenDocument[]>;
}

/** Organizations. */
export interface OrganizationEndpoints {
  /**
   * Reads an organization: the defaults that its workspaces inherit.
   *
   * @throws {@link ServiceError} 404 where it does not exist, or the token may not see it.
   * @example
   * ```ts
   * const acme = await service.organizations.show('acme');
   * console.log(acme.attributes['default-execution-mode']); // remote
   * ```
   */
  show(name: string): Promise<OrganizationDocument>;
}

export function organizationEndpoints(wire: Wire): OrganizationEndpoints {
  return { show: async (name) => wire.show(pathTo('showOrganization', { organization: name })) };
}

/** The kinds, by the member of the service that has them: how they are listed, and how one is shown. */
const kinds = {
  projects: ['listProjects', 'showProject'],
  teams: ['listTeams', 'showTeam'],
  sshKeys: ['listSshKeys', 'showSshKey'],
  agentPools: ['listAgentPools', 'showAgentPool'],
  oauthClients: ['listOauthClients', 'showOauthClient'],
  oauthTokens: ['listOauthTokens', 'showOauthToken'],
} as const;

/** @param more parameters for further filters of the kind */
export function lookUpEndpoints<Resource, Filter extends NameFilter = NameFilter>(
  wire: Wire,
  kind: keyof typeof kinds,
  more: (filter: Filter) => Query = () => ({}),
) {
  const [list, show] = kinds[kind];
  const listOf = (organization: string, filter: Filter = {} as Filter) => ({
    path: pathTo(list, { organization }),
    query: { ...queryOf<NameFilter>({ names: 'filter[names]', search: 'q' }, filter), ...more(filter) },
  });
  return {
    list: async (organization: string, filter?: Filter) => wire.list<Resource>(listOf(organization, filter)),
    page: async (organization: string, query?: Filter & PageQuery) =>
      wire.page<Resource>(listOf(organization, query), query),
    show: async (id: string) => wire.show<Resource>(pathTo(show, { id })),
  };
}

export function oauthClientEndpoints(wire: Wire): OauthClientEndpoints {
  const tokensOf = (parameters: PathParameters<'listOauthClientTokens'>) => ({
    path: pathTo('listOauthClientTokens', parameters),
  });
  return {
    ...lookUpEndpoints<OauthClientDocument>(wire, 'oauthClients'),
    tokens: async (id) => wire.list(tokensOf({ id })),
  };
}
