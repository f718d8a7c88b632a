import type { Dialect } from '../model/dialect.ts';
import type { WriteRequest } from '../model/plan.ts';
import type { Value } from '../model/value.ts';
import type { Query, ServiceClient } from '../service/client.ts';
import { asResourceObject, includedResources, type ResourceObject, relatedId } from '../service/documents.ts';
import {
  consumersBody,
  pathTo,
  requestTo,
  retentionBody,
  sshKeyBody,
  tagsBody,
} from '../service/endpoints.ts';
import type { SendOptions } from '../service/exchange.ts';
import {
  consumersOf,
  grantsOf,
  type PagedList,
  readList,
  readPage,
  unusable,
  workspacesOf,
} from '../service/paging.ts';
import { NetworkError } from '../service/service-error.ts';
import { fromWireNames, toWireNames } from '../service/wire-codec.ts';
import type {
  RetentionPolicy,
  ServiceResource,
  TeamProjectDocument,
  WorkspaceDocument,
} from './documents.ts';
import type { IncludeOptions, ListEndpoints, Service, WorkspaceFilter, WorkspaceRef } from './service.ts';

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
  const writeConsumers =
    (endpoint: 'replaceConsumers' | 'addConsumers' | 'removeConsumers') =>
    async (workspace: string, consumers: readonly string[]) =>
      wire.send(requestTo(endpoint, { workspace }, consumersBody(consumers)), repeatable);
  const writeTags =
    (endpoint: 'addTags' | 'removeTags'): Service['tags']['add'] =>
    async (workspace, tags) =>
      wire.send(requestTo(endpoint, { workspace }, tagsBody(tags)), repeatable);
  const showRetention = async (workspace: string) =>
    wire.show<RetentionPolicy>(pathTo('showRetention', { workspace }));
  const lookUps = (
    endpoint: 'listProjects' | 'listTeams' | 'listSshKeys' | 'listAgentPools' | 'listOauthClients',
  ): Service['projects'] =>
    wire.lists(
      (organization) => ({ path: pathTo(endpoint, { organization }) }),
      (filter) => parameters({ names: 'filter[names]', search: 'q' }, filter),
    );
  return {
    workspaces: workspaceEndpoints(wire),
    remoteStateConsumers: {
      ...wire.lists(consumersOf),
      replace: writeConsumers('replaceConsumers'),
      add: writeConsumers('addConsumers'),
      remove: writeConsumers('removeConsumers'),
    },
    tags: {
      ...wire.lists((workspace) => ({ path: pathTo('listTags', { workspace }) })),
      add: writeTags('addTags'),
      remove: writeTags('removeTags'),
    },
    dataRetention: {
      show: showRetention,
      set: async (workspace, rule) => {
        const call = requestTo('setRetention', { workspace }, retentionBody(rule));
        return wire.write(call, () => showRetention(workspace), repeatable);
      },
      remove: async (workspace) => wire.send(requestTo('removeRetention', { workspace })),
    },
    teamProjects: teamProjectEndpoints(wire),
    projects: lookUps('listProjects'),
    teams: lookUps('listTeams'),
    sshKeys: lookUps('listSshKeys'),
    agentPools: lookUps('listAgentPools'),
    oauthClients: {
      ...lookUps('listOauthClients'),
      tokens: wire.lists<ServiceResource<'oauth-tokens'>>((id) => ({
        path: pathTo('listOauthClientTokens', { id }),
      })).list,
    },
  };
}

type Wire = ReturnType<typeof createWire>;
const repeatable = { repeatable: true } as const;

function createWire(client: ServiceClient, dialect: Dialect) {
  // The only cast of a response to the type of the interface.
  const typed = <Resource>(object: ResourceObject): Resource =>
    ({ ...object, attributes: fromWireNames(object.attributes, dialect) }) as unknown as Resource;
  return {
    async show<Resource>(path: string, query?: Query): Promise<Resource> {
      const document = await client.get(path, query);
      const object = asResourceObject(document.data);
      if (object === undefined) throw unusable(path, 'no resource with an id');
      const included = includedResources(document);
      return { ...typed<Resource>(object), ...(included && { included }) };
    },
    lists<Resource, Filter extends object = object, PageFilter extends Filter = Filter>(
      listOf: (of: string) => PagedList,
      queryOf: (filter: PageFilter) => Query = () => ({}),
    ): ListEndpoints<Resource, Filter, PageFilter> {
      const filtered = (of: string, filter = {} as PageFilter): PagedList => {
        const list = listOf(of);
        return { ...list, query: { ...list.query, ...queryOf(filter) } };
      };
      return {
        list: async (of, filter) => {
          const objects = await readList(client, filtered(of, filter as PageFilter | undefined));
          return objects.map((object) => typed<Resource>(object));
        },
        page: async (of, query) => {
          const { number, size } = query ?? {};
          const page = await readPage(client, filtered(of, query), number, size);
          return { ...page, items: page.items.map((object) => typed<Resource>(object)) };
        },
      };
    },
    async write<Resource>(call: WriteRequest, otherwise: () => Promise<Resource>, options?: SendOptions) {
      const document = await client.send(call, options);
      const object = asResourceObject(document?.data);
      return object ? typed<Resource>(object) : otherwise();
    },
    async send(call: WriteRequest, options?: SendOptions): Promise<void> {
      await client.send(call, options);
    },
    spelled: (attributes: object) =>
      toWireNames(attributes as Readonly<Record<string, unknown>>, dialect) as Value,
  };
}

function workspaceEndpoints(wire: Wire): Service['workspaces'] {
  const show: Service['workspaces']['show'] = async (workspace, options = {}) =>
    wire.show(
      typeof workspace === 'string'
        ? pathTo('showWorkspace', { workspace })
        : pathTo('showWorkspaceByName', workspace),
      parameters({ include: 'include' }, options),
    );
  const act =
    (endpoint: 'lockWorkspace' | 'unlockWorkspace' | 'forceUnlockWorkspace') =>
    async (workspace: string, reason?: string) =>
      wire.write(requestTo(endpoint, { workspace }, reason === undefined ? undefined : { reason }), () =>
        show(workspace),
      );
  return {
    ...wire.lists<WorkspaceDocument, WorkspaceFilter, WorkspaceFilter & IncludeOptions>(
      workspacesOf,
      workspaceQuery,
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
      return wire.write(call, () => show(updated), { repeatable: updated === workspace });
    },
    safeDelete: async (workspace) => wire.send(callOn('safeDeleteWorkspace', workspace)),
    forceDelete: async (workspace) => wire.send(callOn('forceDeleteWorkspace', workspace)),
    lock: act('lockWorkspace'),
    unlock: act('unlockWorkspace'),
    forceUnlock: act('forceUnlockWorkspace'),
    assignSshKey: async (workspace, sshKey) => {
      const call = requestTo('assignSshKey', { workspace }, sshKeyBody(sshKey));
      return wire.write(call, () => show(workspace), repeatable);
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

function workspaceBody({ project, ...attributes }: { readonly project?: string }, wire: Wire): Value {
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

function teamProjectEndpoints(wire: Wire): Service['teamProjects'] {
  const lists = wire.lists<TeamProjectDocument>(grantsOf);
  const show = async (id: string) => wire.show<TeamProjectDocument>(pathTo('showTeamProject', { id }));
  return {
    ...lists,
    show,
    create: async ({ project, team, ...access }) => {
      const relationships = {
        project: { data: { type: 'projects', id: project } },
        team: { data: { type: 'teams', id: team } },
      };
      const data = { type: 'team-projects', attributes: wire.spelled(access), relationships };
      const call = requestTo('createGrant', {}, { data });
      return wire.write(call, async () => {
        const grant = (await lists.list(project)).find((each) => relatedId(each, 'team') === team);
        if (grant) return grant;
        throw new NetworkError(call, 'the response has no document, and the project lists no such grant');
      });
    },
    update: async (id, changes) => {
      const data = { id, type: 'team-projects', attributes: wire.spelled(changes) };
      return wire.write(requestTo('updateGrant', { id }, { data }), () => show(id), repeatable);
    },
    delete: async (id) => wire.send(requestTo('deleteGrant', { id })),
  };
}

const filterNames = {
  name: 'search[name]',
  wildcardName: 'search[wildcard-name]',
  tags: 'search[tags]',
  excludeTags: 'search[exclude-tags]',
  project: 'filter[project][id]',
  currentRunStatus: 'filter[current-run][status]',
  sort: 'sort',
  include: 'include',
} as const;

function workspaceQuery(filter: WorkspaceFilter & IncludeOptions): Query {
  const tagged = (filter.tagged ?? []).flatMap(({ key, value }, index) => [
    [`filter[tagged][${index}][key]`, key] as const,
    ...(value === undefined ? [] : [[`filter[tagged][${index}][value]`, value] as const]),
  ]);
  return { ...parameters(filterNames, filter), ...Object.fromEntries(tagged) };
}

function parameters<Options extends object>(
  names: Readonly<Partial<Record<keyof Options, string>>>,
  options: Options,
): Query {
  const given = options as Readonly<Record<string, string | readonly string[] | undefined>>;
  return Object.fromEntries(
    Object.entries<string | undefined>(names).flatMap(([option, name = option]) => {
      const value = [given[option] ?? []].flat().join(',');
      return value === '' ? [] : [[name, value]];
    }),
  );
}
