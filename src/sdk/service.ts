import type { DataRetention } from '../model/state.ts';
import type { ResourcePage } from '../service/paging.ts';
import type {
  NamedDocument,
  RetentionPolicy,
  ServiceResource,
  TagDocument,
  TeamProjectAttributes,
  TeamProjectDocument,
  WorkspaceDocument,
} from './documents.ts';
import type { WorkspaceSettings } from './typed-settings.ts';

/** Every endpoint of the interface, with the look-ups from names to ids. */
export interface Service {
  readonly workspaces: WorkspaceEndpoints;
  readonly remoteStateConsumers: ConsumerEndpoints;
  readonly tags: TagEndpoints;
  readonly dataRetention: RetentionEndpoints;
  readonly teamProjects: TeamProjectEndpoints;
  readonly projects: LookUpEndpoints;
  readonly teams: LookUpEndpoints;
  readonly sshKeys: LookUpEndpoints;
  readonly agentPools: LookUpEndpoints;
  readonly oauthClients: OauthClientEndpoints;
}

/** The page of a list to read. */
export interface PageQuery {
  /** From 1. @default 1 */
  readonly number?: number;
  /** From 1 to 100. @default 100 */
  readonly size?: number;
}

/**
 * The list of an organization, a workspace or a project, which is given by its name or id.
 *
 * @example
 * ```ts
 * const tags = await service.tags.list('ws-network');
 * console.log(tags.map(({ attributes }) => attributes.name)); // [ 'prod' ]
 * const { items, totalCount } = await service.teamProjects.page('prj-payments', { size: 20 });
 * console.log(items[0]?.attributes.access, totalCount); // read 1
 * ```
 */
export interface ListEndpoints<Resource, Filter = object, PageFilter = Filter> {
  /**
   * Reads the whole list, with parallel requests for its pages. A list that changes meanwhile is read again, at most three
   * times.
   *
   * @throws {@link ServiceError} 404 if its owner does not exist, or the token may not see it.
   * @throws {@link NetworkError} if the list changes each time.
   */
  list(of: string, filter?: Filter): Promise<readonly Resource[]>;
  /** Reads one page. */
  page(of: string, query?: PageFilter & PageQuery): Promise<ResourcePage<Resource>>;
}

/** A workspace by its id, or by the name it has in its organization. */
export type WorkspaceRef = string | { readonly organization: string; readonly name: string };

/** The values of an update; omitted ones do not change. */
export interface WorkspaceUpdate extends WorkspaceSettings {
  /** A new name; the path with the old name no longer exists. */
  readonly name?: string;
  /** The id of the project to move to. Requires the permission to administrate both. */
  readonly project?: string;
}

/** What a new workspace needs. */
export interface NewWorkspace extends WorkspaceUpdate {
  /** Letters, digits, `-` and `_`; unique in the organization. */
  readonly name: string;
  /** The id of its project. @default the organization's default project */
  readonly project?: string;
}

/** Filters of a list; a workspace must match all that are given (interface, section 4.1). */
export interface WorkspaceFilter {
  /** A part of the name, as the service understands it: not for finding one by its name. */
  readonly name?: string;
  /** The name, with `*` at its start, its end, or both. */
  readonly wildcardName?: string;
  /** Tags that a workspace must all have. */
  readonly tags?: readonly string[];
  /** Tags of which it must have none. */
  readonly excludeTags?: readonly string[];
  /** The id of its project. */
  readonly project?: string;
  /** The status of its current run, as in `applied`. */
  readonly currentRunStatus?: string;
  /** Keys, or keys with their values, that it must be tagged with. */
  readonly tagged?: readonly { readonly key: string; readonly value?: string }[];
  /** `-` reverses the order. @default an order that is arbitrary and stays */
  readonly sort?: WorkspaceOrder | `-${WorkspaceOrder}`;
}

/** What workspaces can be sorted by. */
export type WorkspaceOrder = 'name' | 'current-run.created-at' | 'latest-change-at';

/** The resources to include with a workspace. */
export interface IncludeOptions {
  readonly include?: readonly WorkspaceInclude[];
}

/** The resources that can be included with a workspace (interface, section 4.8). */
export type WorkspaceInclude =
  | 'current_configuration_version'
  | 'current_configuration_version.ingress_attributes'
  | 'current_run'
  | 'current_run.configuration_version'
  | 'current_run.configuration_version.ingress_attributes'
  | 'current_run.plan'
  | 'locked_by'
  | 'organization'
  | 'outputs'
  | 'project'
  | 'readme';

/**
 * Workspaces (interface, sections 4.1 to 4.4). Each endpoint answers 404 if the workspace does not exist, or the token may
 * not see or change it.
 *
 * @example
 * ```ts
 * const { workspaces } = service;
 * const names = await workspaces.list('acme', { tags: ['prod'], sort: 'name' });
 * console.log(names.map(({ attributes }) => attributes.name)); // [ 'billing-prod', 'network-prod' ]
 *
 * const { id } = await workspaces.create('acme', { name: 'billing-eu', project: 'prj-payments' });
 * const updated = await workspaces.update(id, { 'auto-apply': true, description: null });
 * console.log(updated.attributes['auto-apply']); // true
 *
 * await workspaces.assignSshKey(id, 'sshkey-deploy');
 * await workspaces.lock(id, 'change freeze');
 * const shown = await workspaces.show({ organization: 'acme', name: 'billing-eu' }, { include: ['locked_by'] });
 * console.log(shown.attributes['locked-reason'], shown.included?.[0]?.type); // change freeze users
 * await workspaces.unlock(id);
 * await workspaces.safeDelete(id);
 * ```
 */
export interface WorkspaceEndpoints
  extends ListEndpoints<WorkspaceDocument, WorkspaceFilter, WorkspaceFilter & IncludeOptions> {
  /** Reads one workspace. */
  show(workspace: WorkspaceRef, options?: IncludeOptions): Promise<WorkspaceDocument>;
  /**
   * Creates a workspace. It is not sent again if its response is lost: look it up by name.
   *
   * @throws {@link ServiceError} 422 if the name is taken or a value is refused.
   */
  create(organization: string, workspace: NewWorkspace): Promise<WorkspaceDocument>;
  /**
   * Changes the given values only. Send an execution mode together with its pool and its overwrite flags: the service
   * refuses or misinterprets one without the others.
   *
   * @throws {@link ServiceError} 422 if a value is refused.
   */
  update(workspace: WorkspaceRef, changes: WorkspaceUpdate): Promise<WorkspaceDocument>;
  /**
   * Deletes a workspace that manages no resources.
   *
   * @throws {@link ServiceError} 409 if it manages resources or is locked.
   */
  safeDelete(workspace: WorkspaceRef): Promise<void>;
  /**
   * Deletes a workspace even if it manages resources. The resources continue to exist; the state is lost.
   *
   * @throws {@link ServiceError} 403 if only owners may.
   */
  forceDelete(workspace: WorkspaceRef): Promise<void>;
  /**
   * Locks a workspace, so that no run starts. Users who find it locked see the reason.
   *
   * @throws {@link ServiceError} 409 if it is locked already.
   */
  lock(workspace: string, reason?: string): Promise<WorkspaceDocument>;
  /**
   * Removes a lock that the token holds.
   *
   * @throws {@link ServiceError} 409 if it is not locked, or another user holds the lock; 503 while the newest state
   * version is not finished: try again a little later.
   */
  unlock(workspace: string): Promise<WorkspaceDocument>;
  /**
   * Removes the lock of any holder. Make sure first that its run saved its state.
   *
   * @throws {@link ServiceError} 409 if it is not locked.
   */
  forceUnlock(workspace: string): Promise<WorkspaceDocument>;
  /** Assigns the SSH key with an id, or removes the present one with `null`. */
  assignSshKey(workspace: string, sshKey: string | null): Promise<WorkspaceDocument>;
}

/**
 * Which workspaces may read the state of another (interface, section 4.5); all by their ids. While the state is shared
 * with all, the list has every other workspace of the organization, and writes are refused with 422.
 *
 * @example
 * ```ts
 * await service.remoteStateConsumers.add('ws-network', ['ws-legacy']);
 * await service.remoteStateConsumers.remove('ws-network', ['ws-billing']);
 * const consumers = await service.remoteStateConsumers.list('ws-network');
 * console.log(consumers.map(({ attributes }) => attributes.name)); // [ 'legacy' ]
 * ```
 */
export interface ConsumerEndpoints extends ListEndpoints<WorkspaceDocument> {
  /** Replaces the list. Requires the permission to manage all workspaces of the organization. */
  replace(workspace: string, consumers: readonly string[]): Promise<void>;
  /** Adds consumers. Present ones are ignored; the workspace itself is refused with 422. */
  add(workspace: string, consumers: readonly string[]): Promise<void>;
  /** Removes consumers. Absent ones are ignored. */
  remove(workspace: string, consumers: readonly string[]): Promise<void>;
}

/** A tag by its name, or by its id. */
export type TagRef = string | { readonly id: string };

/**
 * The flat tags of a workspace (interface, section 4.6); `tag-names` of a workspace has the same names. The id of an
 * unknown tag is answered with 404.
 *
 * @example
 * ```ts
 * await service.tags.add('ws-network', ['reviewed']);
 * const [tag] = await service.tags.list('ws-network');
 * if (tag) await service.tags.remove('ws-network', [{ id: tag.id }, 'reviewed']);
 * ```
 */
export interface TagEndpoints extends ListEndpoints<TagDocument> {
  /** Adds tags, and creates those that the organization does not have yet. Present tags are ignored. */
  add(workspace: string, tags: readonly TagRef[]): Promise<void>;
  /** Removes tags. Unknown names are ignored. A tag that no workspace has any more is deleted. */
  remove(workspace: string, tags: readonly TagRef[]): Promise<void>;
}

/**
 * Data retention policies (interface, section 4.7). A service that is not self-hosted answers 404.
 *
 * @example
 * ```ts
 * const policy = await service.dataRetention.show('ws-network');
 * console.log(policy.attributes['delete-older-than-n-days']); // 30
 * await service.dataRetention.set('ws-network', { 'dont-delete': true });
 * await service.dataRetention.remove('ws-network');
 * ```
 */
export interface RetentionEndpoints {
  /**
   * Reads the policy in effect: the workspace's own, or else the organization's.
   *
   * @throws {@link ServiceError} 404 if there is none.
   */
  show(workspace: string): Promise<RetentionPolicy>;
  /** Sets the workspace's own policy, and replaces a present one. */
  set(workspace: string, rule: DataRetention): Promise<RetentionPolicy>;
  /** Removes the workspace's own policy, so that the organization's applies. */
  remove(workspace: string): Promise<void>;
}

/** The project, the team and the access of a new grant. */
export interface NewTeamProject extends TeamProjectAttributes {
  /** The id of the project. */
  readonly project: string;
  /** The id of the team. */
  readonly team: string;
}

/**
 * Access of teams to projects (interface, section 4.9). The list of a project has the grants of the teams that the token
 * may see. Permissions are given only with the level `custom`; the service refuses them with 422 otherwise.
 *
 * @example
 * ```ts
 * const grant = await service.teamProjects.create({
 *   project: 'prj-payments',
 *   team: 'team-sre',
 *   access: 'custom',
 *   'workspace-access': { runs: 'apply', locking: true },
 * });
 * console.log(grant.attributes['workspace-access']?.variables); // none
 * const updated = await service.teamProjects.update(grant.id, { access: 'write' });
 * console.log(updated.attributes['workspace-access']?.variables); // write
 * await service.teamProjects.delete(grant.id);
 * ```
 */
export interface TeamProjectEndpoints extends ListEndpoints<TeamProjectDocument> {
  /** Reads one grant by its id, as in `tprj-...`; a grant that is created again has a new one. */
  show(id: string): Promise<TeamProjectDocument>;
  /**
   * Grants a team access to a project. It is not sent again if its response is lost: list the project's grants.
   *
   * @throws {@link ServiceError} 404 if the project or the team does not exist; 422 if the team has access already.
   */
  create(grant: NewTeamProject): Promise<TeamProjectDocument>;
  /** Changes the given values. An omitted permission keeps its value if the level was `custom` before. */
  update(id: string, changes: Partial<TeamProjectAttributes>): Promise<TeamProjectDocument>;
  /** Revokes the access. */
  delete(id: string): Promise<void>;
}

/** Filters of a list of named objects. */
export interface NameFilter {
  /** Any of these names, whatever their case. An older service ignores it: compare the names again. */
  readonly names?: readonly string[];
  /** A part of the name. */
  readonly search?: string;
}

/**
 * The objects of one kind in an organization, to find the id of a name.
 *
 * @example
 * ```ts
 * const [project] = await service.projects.list('acme', { names: ['Payments'] });
 * console.log(project?.id); // prj-payments
 * ```
 */
export interface LookUpEndpoints extends ListEndpoints<NamedDocument, NameFilter> {}

/**
 * VCS connections.
 *
 * @example
 * ```ts
 * const clients = await service.oauthClients.list('acme');
 * const github = clients.find(({ attributes }) => attributes.name === 'github');
 * const [token] = await service.oauthClients.tokens(github?.id ?? '');
 * console.log(token?.id); // ot-github
 * ```
 */
export interface OauthClientEndpoints extends LookUpEndpoints {
  /** Reads the tokens of a connection. The id of one is the `oauth-token-id` of a repository. */
  tokens(id: string): Promise<readonly ServiceResource<'oauth-tokens'>[]>;
}
