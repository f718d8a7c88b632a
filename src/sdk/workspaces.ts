import type { WriteRequest } from '../model/plan.ts';
import type { Value } from '../model/value.ts';
import type { Query } from '../service/client.ts';
import { pathTo, requestTo, sshKeyBody } from '../service/endpoints.ts';
import { workspacesOf } from '../service/paging.ts';
import type { PageQuery, ResourcePage } from './resource.ts';
import { queryOf, taggedQuery, type Wire } from './wire.ts';
import type {
  NewWorkspace,
  WorkspaceDocument,
  WorkspaceInclude,
  WorkspaceRef,
  WorkspaceUpdate,
} from './workspace.ts';

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
  /** With `-` in front the other way round. @default an order that is arbitrary and stays */
  readonly sort?: WorkspaceOrder | `-${WorkspaceOrder}`;
}

/** What workspaces can be sorted by. */
export type WorkspaceOrder = 'name' | 'current-run.created-at' | 'latest-change-at';

/** The resources to include with a workspace. */
export interface IncludeOptions {
  readonly include?: readonly WorkspaceInclude[];
}

/** Workspaces (interface, sections 4.1 to 4.4). */
export interface WorkspaceEndpoints {
  /**
   * Reads all workspaces of an organization, with parallel requests for its pages. A list that changes meanwhile is
   * read again, at most three times.
   *
   * @throws {@link ServiceError} 404 where the organization does not exist, or the token may not see it.
   * @throws {@link NetworkError} where the list does not hold still.
   * @example
   * ```ts
   * const workspaces = await service.workspaces.list('acme', { tags: ['prod'], sort: 'name' });
   * console.log(workspaces.map(({ attributes }) => attributes.name)); // [ 'billing-prod', 'network-prod' ]
   * ```
   */
  list(organization: string, filter?: WorkspaceFilter): Promise<readonly WorkspaceDocument[]>;

  /**
   * Reads one page.
   *
   * @example
   * ```ts
   * const page = await service.workspaces.page('acme', { size: 1, include: ['project'] });
   * console.log(page.totalCount, page.nextPage, page.included?.[0]?.type); // 3 2 projects
   * ```
   */
  page(
    organization: string,
    query?: WorkspaceFilter & IncludeOptions & PageQuery,
  ): Promise<ResourcePage<WorkspaceDocument>>;

  /**
   * Reads one workspace, by its id or by its name.
   *
   * @throws {@link ServiceError} 404 where it does not exist, or the token may not see it.
   * @example
   * ```ts
   * const network = await service.workspaces.show({ organization: 'acme', name: 'network-prod' });
   * const same = await service.workspaces.show(network.id, { include: ['locked_by'] });
   * console.log(same.attributes['tag-names'], same.attributes.locked); // [ 'prod' ] false
   * ```
   */
  show(workspace: WorkspaceRef, options?: IncludeOptions): Promise<WorkspaceDocument>;

  /**
   * Creates a workspace. It is not sent again if its response is lost: look it up by name.
   *
   * @throws {@link ServiceError} 422 where the name is taken or a value is refused.
   * @example
   * ```ts
   * const workspace = await service.workspaces.create('acme', {
   *   name: 'billing-eu',
   *   'iac-version': '~> 1.9.0',
   *   project: 'prj-payments',
   * });
   * console.log(workspace.id.startsWith('ws-')); // true
   * ```
   */
  create(organization: string, workspace: NewWorkspace): Promise<WorkspaceDocument>;

  /**
   * Changes the given values only. Send an execution mode together with its pool and its overwrite flags: the service
   * refuses or misinterprets one without the others.
   *
   * @throws {@link ServiceError} 404 where it does not exist or the token may not; 422 where a value is refused.
   * @example
   * ```ts
   * const workspace = await service.workspaces.update(
   *   { organization: 'acme', name: 'network-prod' },
   *   { 'auto-apply': true, description: null },
   * );
   * console.log(workspace.attributes['auto-apply']); // true
   * ```
   */
  update(workspace: WorkspaceRef, changes: WorkspaceUpdate): Promise<WorkspaceDocument>;

  /**
   * Deletes a workspace that manages no resources.
   *
   * @throws {@link ServiceError} 409 where it manages resources or is locked; 404 as always.
   * @example
   * ```ts
   * await service.workspaces.safeDelete({ organization: 'acme', name: 'legacy' });
   * ```
   */
  safeDelete(workspace: WorkspaceRef): Promise<void>;

  /**
   * Deletes a workspace even if it manages resources. The resources continue to exist; the state is lost.
   *
   * @throws {@link ServiceError} 403 where only owners may; 404 as always.
   * @example
   * ```ts
   * await service.workspaces.forceDelete({ organization: 'acme', name: 'legacy' });
   * ```
   */
  forceDelete(workspace: WorkspaceRef): Promise<void>;

  /**
   * Locks a workspace, so that no run starts.
   *
   * @param reason - Shown to users who find it locked. @default empty
   * @throws {@link ServiceError} 409 where it is locked already.
   * @example
   * ```ts
   * const workspace = await service.workspaces.lock('ws-network', 'change freeze');
   * console.log(workspace.attributes['locked-reason']); // change freeze
   * ```
   */
  lock(workspace: string, reason?: string): Promise<WorkspaceDocument>;

  /**
   * Removes a lock that the token holds.
   *
   * @throws {@link ServiceError} 409 if it is not locked, or another user holds the lock; 503 while the newest state
   * version is not finished: try again a little later.
   * @example
   * ```ts
   * await service.workspaces.lock('ws-network');
   * const workspace = await service.workspaces.unlock('ws-network');
   * console.log(workspace.attributes.locked); // false
   * ```
   */
  unlock(workspace: string): Promise<WorkspaceDocument>;

  /**
   * Removes the lock of any holder. Make sure first that its run saved its state.
   *
   * @throws {@link ServiceError} 409 if it is not locked; 404 if the token is not an administrator's.
   * @example
   * ```ts
   * await service.workspaces.lock('ws-network');
   * await service.workspaces.forceUnlock('ws-network');
   * ```
   */
  forceUnlock(workspace: string): Promise<WorkspaceDocument>;

  /**
   * Assigns an SSH key, or removes the present one with `null`.
   *
   * @throws {@link ServiceError} 404 where the workspace or the key does not exist.
   * @example
   * ```ts
   * await service.workspaces.assignSshKey('ws-network', 'sshkey-deploy');
   * const workspace = await service.workspaces.assignSshKey('ws-network', null);
   * console.log(workspace.relationships['ssh-key']?.data); // null
   * ```
   */
  assignSshKey(workspace: string, sshKey: string | null): Promise<WorkspaceDocument>;
}

export function workspaceEndpoints(wire: Wire): WorkspaceEndpoints {
  const show = async (workspace: WorkspaceRef, options: IncludeOptions = {}) =>
    wire.show<WorkspaceDocument>(
      typeof workspace === 'string'
        ? pathTo('showWorkspace', { workspace })
        : pathTo('showWorkspaceByName', workspace),
      includeQuery(options),
    );
  const act = async (
    endpoint: 'lockWorkspace' | 'unlockWorkspace' | 'forceUnlockWorkspace',
    workspace: string,
    body?: { readonly reason: string },
  ) => wire.write(requestTo(endpoint, { workspace }, body), () => show(workspace));

  return {
    list: async (organization, filter) =>
      wire.list({ ...workspacesOf(organization), query: filterQuery(filter) }),
    page: async (organization, query = {}) =>
      wire.page(
        { ...workspacesOf(organization), query: { ...filterQuery(query), ...includeQuery(query) } },
        query,
      ),
    show,
    create: async (organization, workspace) => {
      const call = requestTo('createWorkspace', { organization }, workspaceBody(workspace, wire));
      return wire.write(call, () => show({ organization, name: workspace.name }));
    },
    update: async (workspace, changes) => {
      const call = callOn('updateWorkspace', workspace, workspaceBody(changes, wire));
      const { name } = changes;
      const updated = typeof workspace === 'string' || !name ? workspace : { ...workspace, name };
      // A retry would not find it by its old name.
      const repeatable = updated === workspace;
      return wire.write(call, () => show(updated), { repeatable });
    },
    safeDelete: async (workspace) => wire.send(callOn('safeDeleteWorkspace', workspace)),
    forceDelete: async (workspace) => wire.send(callOn('forceDeleteWorkspace', workspace)),
    lock: async (workspace, reason) =>
      act('lockWorkspace', workspace, reason === undefined ? undefined : { reason }),
    unlock: async (workspace) => act('unlockWorkspace', workspace),
    forceUnlock: async (workspace) => act('forceUnlockWorkspace', workspace),
    assignSshKey: async (workspace, sshKey) => {
      const call = requestTo('assignSshKey', { workspace }, sshKeyBody(sshKey));
      return wire.write(call, () => show(workspace), { repeatable: true });
    },
  };
}

/** Each of these endpoints is there twice: by the workspace's id, and by its name. */
function callOn(
  endpoint: 'updateWorkspace' | 'safeDeleteWorkspace' | 'forceDeleteWorkspace',
  workspace: WorkspaceRef,
  body?: Value,
): WriteRequest {
  return typeof workspace === 'string'
    ? requestTo(endpoint, { workspace }, body)
    : requestTo(`${endpoint}ByName`, workspace, body);
}

function workspaceBody({ project, ...attributes }: WorkspaceUpdate, wire: Wire): Value {
  return {
    data: {
      type: 'workspaces',
      attributes: wire.spelled(attributes),
      ...(project !== undefined && {
        relationships: { project: { data: { type: 'projects', id: project } } },
      }),
    },
  };
}

function includeQuery(options: IncludeOptions): Query {
  return queryOf<IncludeOptions>({ include: 'include' }, options);
}

const filterNames = {
  name: 'search[name]',
  wildcardName: 'search[wildcard-name]',
  tags: 'search[tags]',
  excludeTags: 'search[exclude-tags]',
  project: 'filter[project][id]',
  currentRunStatus: 'filter[current-run][status]',
} as const;

function filterQuery(filter: WorkspaceFilter = {}): Query {
  return {
    ...queryOf(filterNames, filter),
    ...taggedQuery(filter.tagged),
    ...queryOf({ sort: 'sort' }, filter),
  };
}
