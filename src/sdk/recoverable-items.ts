import { pathTo, requestTo } from '../service/endpoints.ts';
import type { PageQuery, ResourcePage, ServiceResource } from './resource.ts';
import { queryOf, type Wire } from './wire.ts';

/** A deleted workspace or Stack that can be recovered until it expires. */
export interface RecoverableItemDocument
  extends ServiceResource<
    'recoverable-items',
    {
      /** The name of what was deleted. */
      readonly 'recoverable-name': string;
      readonly 'deleted-at': string;
      /** From then on it is final. */
      readonly 'expires-at': string;
      /** The number of resources that it managed. */
      readonly 'unmanaged-resources'?: number;
      readonly 'permanently-deleted-at'?: string | null;
    },
    'project' | 'recoverable' | 'deleted-by'
  > {}

/** Filters of recoverable items; an item must match all that are given. */
export interface RecoverableItemFilter {
  /** A part of its name, or of the name of its project. */
  readonly search?: string;
  /** What was deleted. */
  readonly type?: 'workspaces' | 'stacks';
  /** Only what managed resources. */
  readonly managing?: true;
  /** Only what expires after this timestamp. */
  readonly expiresAfter?: string;
  /** With `-` in front the other way round. */
  readonly sort?: RecoverableItemOrder | `-${RecoverableItemOrder}`;
}

/** What recoverable items can be sorted by. */
export type RecoverableItemOrder = 'expires_at' | 'recoverable_name' | 'unmanaged_resources';

/** Related resources of recoverable items. */
export interface RecoverableItemOptions {
  readonly include?: readonly ('recoverable' | 'deleted_by' | 'project')[];
}

/**
 * Deleted workspaces, where the organization has `recoverable-items-enabled`. A public beta of the live service, so only
 * in the `terraform` dialect.
 */
export interface RecoverableItemEndpoints {
  /**
   * Reads all items of an organization.
   *
   * @throws {@link ServiceError} 404 if the organization does not keep what is deleted, or the token may not see it.
   * @example
   * ```ts
   * const find = () => service.recoverableItems.list('acme', { search: 'legacy', type: 'workspaces' });
   * ```
   */
  list(organization: string, filter?: RecoverableItemFilter): Promise<readonly RecoverableItemDocument[]>;

  /**
   * Reads one page.
   *
   * @example
   * ```ts
   * const newest = () => service.recoverableItems.page('acme', { sort: '-expires_at', size: 20 });
   * ```
   */
  page(
    organization: string,
    query?: RecoverableItemFilter & RecoverableItemOptions & PageQuery,
  ): Promise<ResourcePage<RecoverableItemDocument>>;

  /**
   * Brings what was deleted back, with its id, settings and state.
   *
   * @throws {@link ServiceError} 422 if it has expired, was permanently deleted or already recovered, or the recovery
   * failed; 404 if it does not exist, or the token may not recover it.
   * @example
   * ```ts
   * const recover = () => service.recoverableItems.recover('ri-legacy');
   * ```
   */
  recover(id: string): Promise<void>;

  /**
   * Deletes it for good, before it expires.
   *
   * @throws {@link ServiceError} 422 if it has expired, was already permanently deleted, or was recovered; 404 as
   * {@link RecoverableItemEndpoints.recover}.
   * @example
   * ```ts
   * const remove = () => service.recoverableItems.deletePermanently('ri-legacy');
   * ```
   */
  deletePermanently(id: string): Promise<void>;
}

const parameterNames = {
  search: 'filter[search]',
  type: 'filter[recoverable_type]',
  managing: 'filter[having_managed_resources]',
  expiresAfter: 'filter[expires_after]',
  sort: 'sort',
  include: 'include',
} as const;

export function recoverableItemEndpoints(wire: Wire): RecoverableItemEndpoints {
  const listOf = (organization: string, filter: RecoverableItemFilter & RecoverableItemOptions = {}) => ({
    path: pathTo('listRecoverableItems', { organization }),
    query: queryOf(parameterNames, filter),
  });
  return {
    list: async (organization, filter) => wire.list(listOf(organization, filter)),
    page: async (organization, query) => wire.page(listOf(organization, query), query),
    recover: async (id) => wire.send(requestTo('recoverItem', { id })),
    deletePermanently: async (id) => wire.send(requestTo('deleteItemPermanently', { id })),
  };
}
