import { consumersBody, requestTo } from '../service/endpoints.ts';
import { consumersOf } from '../service/paging.ts';
import type { PageQuery, ResourcePage } from './resource.ts';
import type { Wire } from './wire.ts';
import type { WorkspaceDocument } from './workspace.ts';

/**
 * Which workspaces may read the state of another (interface, section 4.5); all by their ids. For workspaces whose
 * `global-remote-state` is false.
 */
export interface ConsumerEndpoints {
  /**
   * Reads all consumers, as far as the token may read them. While the state is shared with all, the service answers
   * with every other workspace of the organization instead.
   *
   * @throws {@link ServiceError} 404 where the workspace does not exist, or the token may not see it.
   * @example
   * ```ts
   * const consumers = await service.remoteStateConsumers.list('ws-network');
   * console.log(consumers.map(({ attributes }) => attributes.name)); // [ 'billing-prod' ]
   * ```
   */
  list(workspace: string): Promise<readonly WorkspaceDocument[]>;

  /**
   * Reads one page of them.
   *
   * @example
   * ```ts
   * const { totalCount } = await service.remoteStateConsumers.page('ws-network', { size: 1 });
   * console.log(totalCount); // 1
   * ```
   */
  page(workspace: string, page?: PageQuery): Promise<ResourcePage<WorkspaceDocument>>;

  /**
   * Replaces the consumers. Needs the right to manage all workspaces of the organization; without it, add and remove
   * consumers instead.
   *
   * @throws {@link ServiceError} 422 where an id is refused, 404 where the token may not.
   * @example
   * ```ts
   * await service.remoteStateConsumers.replace('ws-network', ['ws-billing', 'ws-legacy']);
   * ```
   */
  replace(workspace: string, consumers: readonly string[]): Promise<void>;

  /**
   * Adds consumers. Present consumers are ignored.
   *
   * @throws {@link ServiceError} 422 where an id is refused, the workspace's own among them.
   * @example
   * ```ts
   * await service.remoteStateConsumers.add('ws-network', ['ws-legacy']);
   * ```
   */
  add(workspace: string, consumers: readonly string[]): Promise<void>;

  /**
   * Removes consumers. Absent consumers are ignored.
   *
   * @throws {@link ServiceError} 422 where an id is refused.
   * @example
   * ```ts
   * await service.remoteStateConsumers.remove('ws-network', ['ws-billing']);
   * ```
   */
  remove(workspace: string, consumers: readonly string[]): Promise<void>;
}

export function consumerEndpoints(wire: Wire): ConsumerEndpoints {
  const write =
    (endpoint: 'replaceConsumers' | 'addConsumers' | 'removeConsumers') =>
    async (workspace: string, consumers: readonly string[]) =>
      wire.send(requestTo(endpoint, { workspace }, consumersBody(consumers)), { repeatable: true });
  return {
    list: async (workspace) => wire.list(consumersOf(workspace)),
    page: async (workspace, page) => wire.page(consumersOf(workspace), page),
    replace: write('replaceConsumers'),
    add: write('addConsumers'),
    remove: write('removeConsumers'),
  };
}
