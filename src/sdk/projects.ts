import { bindingsBody, consumersBody, pathTo, requestTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';
import {
  type LookUpEndpoints,
  lookUpEndpoints,
  type NameFilter,
  type ProjectDocument,
  type ProjectOverwrites,
} from './look-ups.ts';
import type { PageQuery, ResourcePage } from './resource.ts';
import { taggedQuery, type Wire } from './wire.ts';

/** The writable attributes of a project. */
export interface ProjectSettings {
  /** Three to 40 letters, digits, spaces, `-` and `_`. */
  readonly name?: string;
  readonly description?: string | null;
  /** One to four digits and `d` or `h`; `null` for never. */
  readonly 'auto-destroy-activity-duration'?: string | null;
  /** The mode of its workspaces without their own. It becomes the project's own. */
  readonly 'default-execution-mode'?: 'remote' | 'local' | 'agent';
  /** The id of the agent pool of these workspaces, with the mode `agent` only. */
  readonly 'default-agent-pool-id'?: string | null;
  /** `false` for both: the mode and the pool of the organization apply. */
  readonly 'setting-overwrites'?: ProjectOverwrites;
}

/** Filters of a list of projects; a project must match all that are given. */
export interface ProjectFilter extends NameFilter {
  /** Keys, or keys with their values, that it must be tagged with. */
  readonly tagged?: readonly { readonly key: string; readonly value?: string }[];
  /** Only projects for which the token has this permission. */
  readonly permission?: ProjectPermission;
}

/** The permissions that a list of projects can be filtered by. */
export type ProjectPermission = 'create-workspace' | 'update' | 'move-stack';

/** Projects. Writes need the `terraform` dialect. */
export interface ProjectEndpoints extends LookUpEndpoints<ProjectDocument> {
  /**
   * Reads all projects of an organization.
   *
   * @throws {@link ServiceError} 404 if the organization does not exist, or the token may not see it.
   * @example
   * ```ts
   * const prod = () => service.projects.list('acme', { tagged: [{ key: 'env', value: 'prod' }] });
   * ```
   */
  list(organization: string, filter?: ProjectFilter): Promise<readonly ProjectDocument[]>;

  /**
   * Reads one page.
   *
   * @example
   * ```ts
   * const editable = () => service.projects.page('acme', { permission: 'update', size: 20 });
   * ```
   */
  page(organization: string, query?: ProjectFilter & PageQuery): Promise<ResourcePage<ProjectDocument>>;

  /**
   * Creates a project.
   *
   * @throws {@link ServiceError} 422 if the name is taken or not allowed.
   * @example
   * ```ts
   * const create = () => service.projects.create('acme', { name: 'Storefront' });
   * ```
   */
  create(
    organization: string,
    settings: ProjectSettings & { readonly name: string },
  ): Promise<ProjectDocument>;

  /**
   * Changes the given attributes of a project.
   *
   * @throws {@link ServiceError} 404 if it does not exist, or the token may not change it.
   * @example
   * ```ts
   * const body = { description: 'Everything the shop needs' };
   * const update = () => service.projects.update('prj-shop', body);
   * ```
   */
  update(id: string, settings: ProjectSettings): Promise<ProjectDocument>;

  /**
   * Deletes a project without workspaces.
   *
   * @throws {@link ServiceError} 422 if workspaces are left in it.
   * @example
   * ```ts
   * const remove = () => service.projects.delete('prj-shop');
   * ```
   */
  delete(id: string): Promise<void>;

  /**
   * Adds and overwrites key/value tags of a project by key, and leaves all others alone.
   *
   * @param bindings - Values by key; `null` is a key without a value.
   * @throws {@link ServiceError} 404 if the project does not exist; 422 for a key that is not allowed.
   * @example
   * ```ts
   * const bind = () => service.projects.bind('prj-shop', { env: 'prod' });
   * ```
   */
  bind(id: string, bindings: Readonly<Record<string, string | null>>): Promise<void>;

  /**
   * Moves workspaces into a project: all of them, or none. They take over the project's execution mode, agent pool, destroy
   * schedule and key/value tags, except where they have their own.
   *
   * @param id - The id of the project.
   * @param workspaces - Their ids, at most 100.
   * @throws {@link ServiceError} 403 or 404 if the token may not move one of them, or one does not exist.
   * @example
   * ```ts
   * const move = () => service.projects.moveWorkspaces('prj-shop', ['ws-network', 'ws-billing']);
   * ```
   */
  moveWorkspaces(id: string, workspaces: readonly string[]): Promise<void>;
}

export function projectEndpoints(wire: Wire): ProjectEndpoints {
  const body = ({ 'setting-overwrites': overwrites, ...attributes }: ProjectSettings) => ({
    data: {
      type: 'projects',
      attributes: { ...attributes, ...(overwrites && { 'setting-overwrites': { ...overwrites } }) },
    },
  });
  const endpoints = lookUpEndpoints<ProjectDocument, ProjectFilter>(
    wire,
    'projects',
    ({ tagged, permission }) => ({
      ...taggedQuery(tagged),
      ...(permission && { [`filter[permissions][${permission}]`]: 'true' }),
    }),
  );
  return {
    ...endpoints,
    create: async (organization, settings) => {
      const named = async () => {
        const projects = await endpoints.list(organization, { names: [settings.name] });
        const found = projects.find(({ attributes }) => attributes.name === settings.name);
        if (found) return found;
        const request = { method: 'POST', path: pathTo('createProject', { organization }) };
        throw new NetworkError(request, 'the project was created, but the service did not return it');
      };
      return wire.write(requestTo('createProject', { organization }, body(settings)), named);
    },
    update: async (id, settings) =>
      wire.write(requestTo('updateProject', { id }, body(settings)), () => endpoints.show(id), {
        repeatable: true,
      }),
    delete: async (id) => wire.send(requestTo('deleteProject', { id })),
    bind: async (id, bindings) =>
      wire.send(requestTo('upsertProjectBindings', { id }, bindingsBody(bindings)), { repeatable: true }),
    moveWorkspaces: async (id, workspaces) =>
      wire.send(requestTo('moveWorkspaces', { id }, consumersBody(workspaces)), { repeatable: true }),
  };
}
