import { isMember, seesTeam } from '../callers.ts';
import { nameFilter, pageOf } from '../documents/list.ts';
import {
  agentPoolResource,
  oauthClientResource,
  oauthTokenResource,
  projectPermissions,
  projectResource,
  sshKeyResource,
  teamResource,
} from '../documents/named-resources.ts';
import type { AnsweredResource } from '../documents/resource.ts';
import { bindingResource, reservedTagKeyResource } from '../documents/tags.ts';
import { json, notFound } from '../http/answer.ts';
import { type Handler, pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { storedBindings } from '../rules/tags.ts';
import { isBoundAs, taggedParameters } from '../rules/workspace-filter.ts';
import type { Collections, StoredAgentPool, StoredEntity, StoredProject } from '../store/records.ts';
import { findRequestedOrganization } from './find.ts';

type NamedCollection = {
  [Name in keyof Collections]: Collections[Name] extends StoredEntity ? Name : never;
}[keyof Collections];

interface LookUp<Name extends NamedCollection> {
  readonly collection: Name;
  readonly resource: (request: ServiceRequest, record: Collections[Name]) => AnsweredResource;
  readonly included?: (request: ServiceRequest, record: Collections[Name]) => readonly AnsweredResource[];
  readonly isVisible?: (request: ServiceRequest, record: Collections[Name]) => boolean;
  /** The order without `sort`. */
  readonly order?: (request: ServiceRequest) => string;
  /** Filters of this list only. */
  readonly filter?: (request: ServiceRequest) => (record: Collections[Name]) => boolean;
}

/** GET of all objects of one kind in an organization, with the filters by name. */
function list<Name extends NamedCollection>(lookUp: LookUp<Name>): Handler {
  const { collection, resource, isVisible } = lookUp;
  return (request) => {
    const { world, query } = request;
    const organization = findRequestedOrganization(request);
    const isNamed = nameFilter(query);
    const isWanted = lookUp.filter?.(request) ?? (() => true);
    const records = world.store
      .all(collection)
      .filter((record) => (record as StoredEntity).organization === organization.id)
      .filter((record) => (isVisible?.(request, record) ?? true) && isNamed((record as StoredEntity).name))
      .filter(isWanted);
    const sort = query.get('sort') ?? lookUp.order?.(request) ?? '';
    // Without a sort, and by time, objects are in the order of their creation.
    if (sort.endsWith('name'))
      records.sort((a, b) => ((a as StoredEntity).name < (b as StoredEntity).name ? -1 : 1));
    if (sort.startsWith('-')) records.reverse();
    return pageOf(
      request,
      records,
      (record) => JSON.stringify(resource(request, record)),
      (shown) => {
        const included = shown.flatMap((record) => lookUp.included?.(request, record) ?? []);
        return included.length > 0 ? `"included":${JSON.stringify(included)},` : '';
      },
    );
  };
}

/** GET of one object by its id. */
function show<Name extends NamedCollection>(lookUp: LookUp<Name>): Handler {
  const { collection, resource, included, isVisible } = lookUp;
  return (request) => {
    const { world, caller } = request;
    const record = world.store.get(collection, pathPart(request, 'id'));
    const visible =
      record &&
      isMember(caller, (record as StoredEntity).organization) &&
      (isVisible?.(request, record) ?? true);
    if (!visible) throw notFound();
    const more = included?.(request, record) ?? [];
    return json(200, { data: resource(request, record), ...(more.length > 0 && { included: more }) });
  };
}

/** The values of `include`; an unknown one is ignored. */
function includesOf({ query }: ServiceRequest): readonly string[] {
  return (query.get('include') ?? '').split(',').map((name) => name.replaceAll('-', '_'));
}

/** Pools that a workspace or project of this name may use: those that allow it, and those of the whole organization. */
function poolFilter({ world, query }: ServiceRequest): (pool: StoredAgentPool) => boolean {
  const workspace = query.get('filter[allowed_workspaces][name]');
  const project = query.get('filter[allowed_projects][name]');
  const allows = (
    kind: 'workspaces' | 'projects',
    ids: readonly string[] | undefined,
    name: string | null,
  ): boolean => name === null || (ids ?? []).some((id) => world.store.get(kind, id)?.name === name);
  return (pool) =>
    (pool.organizationScoped ?? true) ||
    (allows('workspaces', pool.allowedWorkspaces, workspace) &&
      allows('projects', pool.allowedProjects, project));
}

/** The live service filters projects by their key/value tags, and by what the caller may do with them. */
function projectFilter({ world, query, caller }: ServiceRequest): (project: StoredProject) => boolean {
  if (world.dialect !== 'terraform') return () => true;
  const wanted = taggedParameters(query);
  const needed = Object.entries(filteredPermissions).flatMap(([name, permission]) =>
    query.has(`filter[permissions][${name}]`) ? [permission] : [],
  );
  return (project) =>
    wanted.every((tagged) => storedBindings(project).some((one) => isBoundAs(one, tagged))) &&
    needed.every((permission) => projectPermissions(world, project, caller)[permission] === true);
}

const filteredPermissions = {
  'create-workspace': 'can-create-workspace',
  update: 'can-update',
  'move-stack': 'can-move-stack',
} as const;

const projects: LookUp<'projects'> = {
  collection: 'projects',
  // The live service lists the newest project first.
  order: ({ world }) => (world.dialect === 'terraform' ? '-created-at' : ''),
  filter: projectFilter,
  resource: (request, project) =>
    projectResource(request.world, project, request.caller, includesOf(request)),
  included: (request, project) =>
    includesOf(request).includes('effective_tag_bindings')
      ? storedBindings(project).map((binding) => bindingResource(binding, 'effective-tag-bindings'))
      : [],
};
const teams: LookUp<'teams'> = {
  collection: 'teams',
  resource: ({ world, caller }, team) => teamResource(world, team, caller),
  isVisible: ({ world, caller }, team) => seesTeam(world.store, caller, team),
};
const sshKeys: LookUp<'sshKeys'> = { collection: 'sshKeys', resource: (_, key) => sshKeyResource(key) };
const agentPools: LookUp<'agentPools'> = {
  collection: 'agentPools',
  resource: ({ world }, pool) => agentPoolResource(world, pool),
  filter: poolFilter,
};
const tokens: LookUp<'vcsConnections'> = {
  collection: 'vcsConnections',
  resource: ({ world }, connection) => oauthTokenResource(world, connection),
  isVisible: (_, connection) => connection.tokenless !== true,
};
const clients: LookUp<'vcsConnections'> = {
  collection: 'vcsConnections',
  resource: ({ world }, connection) => oauthClientResource(world, connection),
  included: (request, connection) => {
    const { world, caller } = request;
    const includes = includesOf(request);
    const ofProjects = (connection.projects ?? []).flatMap((id) => world.store.get('projects', id) ?? []);
    return [
      ...(includes.includes('oauth_tokens') && !connection.tokenless
        ? [oauthTokenResource(world, connection)]
        : []),
      ...(includes.includes('projects')
        ? ofProjects.map((project) => projectResource(world, project, caller))
        : []),
    ];
  },
};

const reservedTagKeys: LookUp<'reservedTagKeys'> = {
  collection: 'reservedTagKeys',
  resource: (_, key) => reservedTagKeyResource(key),
};

/** The id of an OAuth client differs from that of its token. */
export function findClient(request: ServiceRequest) {
  const id = pathPart(request, 'id');
  const record = request.world.store.all('vcsConnections').find((connection) => connection.client === id);
  if (!record || !isMember(request.caller, record.organization)) throw notFound();
  return record;
}

function showClient(request: ServiceRequest) {
  const client = findClient(request);
  const included = clients.included?.(request, client) ?? [];
  return json(200, {
    data: oauthClientResource(request.world, client),
    ...(included.length > 0 && { included }),
  });
}

function listTokensOfClient(request: ServiceRequest) {
  const client = findClient(request);
  return pageOf(request, client.tokenless ? [] : [client], (token) =>
    JSON.stringify(oauthTokenResource(request.world, token)),
  );
}

const organization = '/organizations/:organization';

/** Only the live service has it. */
export const reservedTagKeyRoutes: readonly Route[] = [
  ['GET', `${organization}/reserved-tag-keys`, list(reservedTagKeys)],
];

/** The look-ups of objects that a configuration refers to by name. */
export const lookUpRoutes: readonly Route[] = [
  ['GET', `${organization}/projects`, list(projects)],
  ['GET', '/projects/:id', show(projects)],
  ['GET', `${organization}/teams`, list(teams)],
  ['GET', '/teams/:id', show(teams)],
  ['GET', `${organization}/ssh-keys`, list(sshKeys)],
  ['GET', '/ssh-keys/:id', show(sshKeys)],
  ['GET', `${organization}/agent-pools`, list(agentPools)],
  ['GET', '/agent-pools/:id', show(agentPools)],
  ['GET', `${organization}/oauth-tokens`, list(tokens)],
  ['GET', '/oauth-tokens/:id', show(tokens)],
  ['GET', `${organization}/oauth-clients`, list(clients)],
  ['GET', '/oauth-clients/:id', showClient],
  ['GET', '/oauth-clients/:id/oauth-tokens', listTokensOfClient],
];
