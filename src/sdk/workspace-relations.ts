import {
  bindingsBody,
  consumersBody,
  pathTo,
  requestTo,
  retentionBody,
  tagsBody,
} from '../service/endpoints.ts';
import { consumersOf } from '../service/paging.ts';
import type { PageQuery, ResourcePage, ServiceResource } from './resource.ts';
import type { Wire } from './wire.ts';
import type { WorkspaceDocument } from './workspace.ts';

/** A tag of an organization (interface, section 2.3). */
export interface TagDocument
  extends ServiceResource<
    'tags',
    {
      readonly name: string;
      /** ISO 8601. */
      readonly 'created-at'?: string;
      /** The number of workspaces that have it. */
      readonly 'instance-count'?: number;
    },
    'organization'
  > {}

/** A tag by its name, or by its id. */
export type TagRef = string | { readonly id: string };

/** The flat tags of workspaces (interface, section 4.6); `tag-names` of a workspace has the same names. */
export interface TagEndpoints {
  /**
   * Reads all tags of a workspace.
   *
   * @throws {@link ServiceError} 404 where the workspace does not exist, or the token may not see it.
   * @example
   * ```ts
   * const tags = await service.tags.list('ws-network');
   * console.log(tags.map(({ attributes }) => attributes.name)); // [ 'prod' ]
   * ```
   */
  list(workspace: string): Promise<readonly TagDocument[]>;

  /**
   * Reads one page of them.
   *
   * @example
   * ```ts
   * const { items } = await service.tags.page('ws-network', { number: 1, size: 20 });
   * console.log(items[0]?.attributes['instance-count']); // 2
   * ```
   */
  page(workspace: string, page?: PageQuery): Promise<ResourcePage<TagDocument>>;

  /**
   * Adds tags, and creates those that the organization does not have yet. Present tags are ignored.
   *
   * @throws {@link ServiceError} 404 where the workspace or the id of a tag does not exist.
   * @example
   * ```ts
   * await service.tags.add('ws-network', ['network', 'reviewed']);
   * ```
   */
  add(workspace: string, tags: readonly TagRef[]): Promise<void>;

  /**
   * Removes tags. Unknown names are ignored. A tag that no workspace has any more is deleted.
   *
   * @throws {@link ServiceError} 404 where the workspace or the id of a tag does not exist.
   * @example
   * ```ts
   * const [tag] = await service.tags.list('ws-network');
   * if (tag) await service.tags.remove('ws-network', [{ id: tag.id }, 'reviewed']);
   * ```
   */
  remove(workspace: string, tags: readonly TagRef[]): Promise<void>;

  /**
   * Adds and overwrites key/value tags of a workspace by key, and leaves all others alone. Needs the `terraform` dialect.
   *
   * @param bindings - Values by key; `null` is a key without a value.
   * @throws {@link ServiceError} 404 if the workspace does not exist; 422 for a key that is not allowed.
   * @example
   * ```ts
   * const bind = () => service.tags.bind('ws-network', { env: 'prod' });
   * ```
   */
  bind(workspace: string, bindings: Readonly<Record<string, string | null>>): Promise<void>;
}

export function tagEndpoints(wire: Wire): TagEndpoints {
  const tagsOf = (workspace: string) => ({ path: pathTo('listTags', { workspace }) });
  return {
    list: async (workspace) => wire.list(tagsOf(workspace)),
    page: async (workspace, page) => wire.page(tagsOf(workspace), page),
    add: async (workspace, tags) =>
      wire.send(requestTo('addTags', { workspace }, tagsBody(tags)), { repeatable: true }),
    remove: async (workspace, tags) =>
      wire.send(requestTo('removeTags', { workspace }, tagsBody(tags)), { repeatable: true }),
    bind: async (workspace, bindings) =>
      wire.send(requestTo('upsertBindings', { workspace }, bindingsBody(bindings)), { repeatable: true }),
  };
}

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

/** How long a workspace keeps old data. Its `target` is the owner: the policy of an organization is inherited. */
export interface RetentionPolicy
  extends ServiceResource<
    'data-retention-policy-delete-olders' | 'data-retention-policy-dont-deletes',
    { readonly 'delete-older-than-n-days'?: number },
    'target'
  > {}

/** How long a workspace shall keep old data: a number of days, or for ever. */
export type RetentionRule = { readonly 'delete-older-than-days': number } | { readonly 'dont-delete': true };

/** Data retention policies; on self-hosted deployments only (interface, section 4.7). */
export interface RetentionEndpoints {
  /**
   * Reads the policy that holds for a workspace: its own, or else the organization's.
   *
   * @throws {@link ServiceError} 404 where there is none, or the service has no such thing.
   * @example
   * ```ts
   * const policy = await service.dataRetention.show('ws-network');
   * console.log(policy.attributes['delete-older-than-n-days']); // 30
   * ```
   */
  show(workspace: string): Promise<RetentionPolicy>;

  /**
   * Sets the workspace's own policy, and replaces a present one.
   *
   * @throws {@link ServiceError} 404 where the service has no such thing, or the token may not.
   * @example
   * ```ts
   * const policy = await service.dataRetention.set('ws-network', { 'dont-delete': true });
   * console.log(policy.type); // data-retention-policy-dont-deletes
   * ```
   */
  set(workspace: string, rule: RetentionRule): Promise<RetentionPolicy>;

  /**
   * Removes the workspace's own policy, so that the organization's applies.
   *
   * @throws {@link ServiceError} 404 where neither has one, or the service has no such thing.
   * @example
   * ```ts
   * await service.dataRetention.remove('ws-network');
   * ```
   */
  remove(workspace: string): Promise<void>;
}

export function retentionEndpoints(wire: Wire): RetentionEndpoints {
  const show = async (workspace: string) =>
    wire.show<RetentionPolicy>(pathTo('showRetention', { workspace }));
  return {
    show,
    set: async (workspace, rule) => {
      const call = requestTo('setRetention', { workspace }, retentionBody(rule));
      return wire.write(call, () => show(workspace), { repeatable: true });
    },
    remove: async (workspace) => wire.send(requestTo('removeRetention', { workspace })),
  };
}
