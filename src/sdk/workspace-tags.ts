import { bindingsBody, pathTo, requestTo, tagsBody } from '../service/endpoints.ts';
import type { PageQuery, ResourcePage, ServiceResource } from './resource.ts';
import type { Wire } from './wire.ts';

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
