import { bindingsBody, pathTo, requestTo } from '../service/endpoints.ts';
import { NetworkError } from '../service/service-error.ts';
import { type LookUpEndpoints, lookUpEndpoints, type ProjectDocument } from './look-ups.ts';
import type { Wire } from './wire.ts';

/** The writable attributes of a project. */
export interface ProjectSettings {
  /** Three to 40 letters, digits, spaces, `-` and `_`. */
  readonly name?: string;
  readonly description?: string | null;
  /** One to four digits and `d` or `h`; `null` for never. */
  readonly 'auto-destroy-activity-duration'?: string | null;
}

/** Projects. Writes need the `terraform` dialect. */
export interface ProjectEndpoints extends LookUpEndpoints<ProjectDocument> {
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
}

export function projectEndpoints(wire: Wire): ProjectEndpoints {
  const body = (attributes: ProjectSettings) => ({
    data: { type: 'projects', attributes: { ...attributes } },
  });
  const endpoints = lookUpEndpoints<ProjectDocument>(wire, 'projects');
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
  };
}
