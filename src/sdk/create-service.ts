import type { Dialect } from '../model/dialect.ts';
import type { ServiceClient } from '../service/client.ts';
import {
  type AgentPoolDocument,
  type LookUpEndpoints,
  lookUpEndpoints,
  type OauthClientEndpoints,
  type OauthTokenDocument,
  type OrganizationEndpoints,
  oauthClientEndpoints,
  organizationEndpoints,
  type SshKeyDocument,
  type TeamDocument,
} from './look-ups.ts';
import { type NotificationEndpoints, notificationEndpoints } from './notifications.ts';
import { type ProjectEndpoints, projectEndpoints } from './projects.ts';
import { type RecoverableItemEndpoints, recoverableItemEndpoints } from './recoverable-items.ts';
import { type TeamProjectEndpoints, teamProjectEndpoints } from './team-projects.ts';
import { createWire } from './wire.ts';
import {
  type ConsumerEndpoints,
  consumerEndpoints,
  type RetentionEndpoints,
  retentionEndpoints,
  type TagEndpoints,
  tagEndpoints,
} from './workspace-relations.ts';
import { type WorkspaceEndpoints, workspaceEndpoints } from './workspaces.ts';

/** Every endpoint of the interface, with the look-ups from names to ids. */
export interface Service {
  readonly workspaces: WorkspaceEndpoints;
  readonly remoteStateConsumers: ConsumerEndpoints;
  readonly tags: TagEndpoints;
  readonly dataRetention: RetentionEndpoints;
  readonly teamProjects: TeamProjectEndpoints;
  readonly organizations: OrganizationEndpoints;
  readonly projects: ProjectEndpoints;
  readonly recoverableItems: RecoverableItemEndpoints;
  readonly notifications: NotificationEndpoints;
  readonly teams: LookUpEndpoints<TeamDocument>;
  readonly sshKeys: LookUpEndpoints<SshKeyDocument>;
  readonly agentPools: LookUpEndpoints<AgentPoolDocument>;
  readonly oauthClients: OauthClientEndpoints;
  readonly oauthTokens: LookUpEndpoints<OauthTokenDocument>;
}

/** The options of a service. */
export interface ServiceOptions {
  /**
   * The names on the wire. In both dialects, attributes are given and returned under the names of the interface.
   *
   * @default 'iac'
   */
  readonly dialect?: Dialect;
}

/**
 * The endpoints of a service, typed. All of them share the pacing, the retries and the errors of the client. Ids and
 * names go into paths percent-encoded.
 *
 * Every endpoint rejects with a {@link ServiceError} if the service answers with an error, with a
 * {@link NetworkError} if there is no usable response, and with an {@link AttuneError} if an id is empty.
 *
 * @example
 * ```ts
 * const terraform = createService(client, { dialect: 'terraform' });
 * console.log(typeof terraform.workspaces.list); // function
 * ```
 */
export function createService(client: ServiceClient, { dialect = 'iac' }: ServiceOptions = {}): Service {
  const wire = createWire(client, dialect);
  return {
    workspaces: workspaceEndpoints(wire),
    remoteStateConsumers: consumerEndpoints(wire),
    tags: tagEndpoints(wire),
    dataRetention: retentionEndpoints(wire),
    teamProjects: teamProjectEndpoints(wire),
    organizations: organizationEndpoints(wire),
    projects: projectEndpoints(wire),
    recoverableItems: recoverableItemEndpoints(wire),
    notifications: notificationEndpoints(wire),
    teams: lookUpEndpoints(wire, 'teams'),
    sshKeys: lookUpEndpoints(wire, 'sshKeys'),
    agentPools: lookUpEndpoints(wire, 'agentPools'),
    oauthClients: oauthClientEndpoints(wire),
    oauthTokens: lookUpEndpoints(wire, 'oauthTokens'),
  };
}
