import { oauthClientResource, oauthTokenResource, projectResource } from '../documents/named-resources.ts';
import { includesOf, pageOf } from '../documents/pages.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import {
  givenId,
  givenIds,
  type InputResource,
  readResource,
  readResourceList,
} from '../rules/request-document.ts';
import { connectionSettings, readWrittenSettings } from '../rules/written-settings.ts';
import { idPrefixes } from '../seed/seed-scope.ts';
import type { StoredVcsConnection } from '../store/records.ts';
import { findOwned } from './find-requested.ts';
import { findNamed, findToChange, type NamedKind, readRoutes, removeNamed, saveNamed } from './named.ts';

const tokens: NamedKind<'vcsConnections'> = {
  collection: 'vcsConnections',
  type: 'oauth-tokens',
  resource: ({ world }, connection) => oauthTokenResource(world, connection),
  isVisible: (_, connection) => connection.tokenless !== true,
};

const clients: NamedKind<'vcsConnections'> = {
  collection: 'vcsConnections',
  type: 'oauth-clients',
  // The id of an OAuth client differs from that of its token.
  byId: (store, id) => store.all('vcsConnections').find(({ client }) => client === id),
  resource: ({ world }, connection) => oauthClientResource(world, connection),
  *included(request, connection) {
    const { world, caller } = request;
    const includes = includesOf(request);
    if (includes.includes('oauth_tokens') && !connection.tokenless)
      yield oauthTokenResource(world, connection);
    for (const id of includes.includes('projects') ? (connection.projects ?? []) : []) {
      const project = world.store.get('projects', id);
      if (project) yield projectResource(world, project, caller);
    }
  },
};

function listTokensOfClient(request: ServiceRequest): Answer {
  const client = findNamed(clients, request);
  return pageOf(request, client.tokenless ? [] : [client], (token) =>
    oauthTokenResource(request.world, token),
  );
}

export const oauthRoutes: readonly Route[] = [
  ...readRoutes(tokens),
  ...readRoutes(clients),
  ['GET', '/oauth-clients/:id/oauth-tokens', listTokensOfClient],
];

function createClient(request: ServiceRequest): Answer {
  const { world } = request;
  const organization = findOwned(request).id;
  const resolved = resolve(request, organization, undefined);
  const label = `${organization}/${resolved.name || resolved.provider}`;
  const connection: StoredVcsConnection = {
    id: world.store.nextId(idPrefixes.vcsConnections, label),
    client: world.store.nextId('oc', label),
    organization,
    createdAt: world.now(),
    ...resolved,
  };
  return saveNamed(clients, request, connection, 201);
}

function updateClient(request: ServiceRequest): Answer {
  const before = findToChange(clients, request, 'update');
  return saveNamed(clients, request, { ...before, ...resolve(request, before.organization, before) });
}

/** POST adds the projects that may use the client, DELETE removes them. */
function changeProjects(request: ServiceRequest): Answer {
  const { store } = request.world;
  const before = findToChange(clients, request, 'update');
  const ids = readResourceList(request.body).map(({ id }) => String(id));
  if (ids.some((id) => store.get('projects', id)?.organization !== before.organization)) throw notFound();
  const known = before.projects ?? [];
  const projects =
    request.method === 'POST'
      ? [...new Set([...known, ...ids])]
      : known.filter((project) => !ids.includes(project));
  store.put('vcsConnections', { ...before, projects });
  return noContent;
}

function updateToken(request: ServiceRequest): Answer {
  const before = findToChange(tokens, request, 'update');
  const { attributes } = readResource(request.body, 'oauth-tokens');
  const key = attributes['ssh-key'];
  if (key !== undefined && key !== null && !/^-----BEGIN [A-Z ]*PRIVATE KEY-----\s/.test(String(key)))
    refuseInvalid([invalid('/data/attributes/ssh-key', 'Ssh key is invalid')]);
  return saveNamed(tokens, request, { ...before, ...(key !== undefined && { hasSshKey: Boolean(key) }) });
}

/** The client is kept, but is no longer connected. */
function deleteToken(request: ServiceRequest): Answer {
  const token = findToChange(tokens, request, 'delete');
  request.world.store.put('vcsConnections', { ...token, tokenless: true });
  return noContent;
}

function resolve(
  { world: { store }, body }: ServiceRequest,
  organization: string,
  before: StoredVcsConnection | undefined,
) {
  const resource = readResource(body, 'oauth-clients');
  const { attributes } = resource;
  const errors = before ? [] : blankErrors(attributes);
  const { name = before?.name ?? '', 'organization-scoped': scoped = before?.organizationScoped ?? true } =
    attributes;
  const settings = readWrittenSettings(connectionSettings, attributes, errors);
  const pool = givenId(resource, 'agent-pool');
  if (pool !== undefined && store.get('agentPools', pool)?.organization !== organization) {
    errors.push(
      invalid(
        '/data/relationships/agent-pool',
        'the provided agent pool does not exist or you are not authorized to use it',
      ),
    );
  }
  // The official client's tests send projects of other organizations, so these are ignored.
  const projects = givenIds(resource, 'projects')?.filter(
    (id) => store.get('projects', id)?.organization === organization,
  );
  if (before?.provider === 'bitbucket_data_center' && settings.key === '')
    errors.push(invalid('/data/attributes/key', "Key can't be blank"));
  refuseInvalid(errors);
  return {
    name: typeof name === 'string' ? name : '',
    organizationScoped: scoped !== false,
    settings: { ...before?.settings, ...settings },
    agentPool: pool ?? before?.agentPool ?? null,
    projects: projects ?? before?.projects ?? [],
    provider: before?.provider ?? String(attributes['service-provider']),
    // A client that is created with a token string is connected at once; others need a browser.
    ...(attributes['oauth-token-string'] ? { tokenless: false } : !before && { tokenless: true }),
  };
}

function blankErrors(attributes: InputResource['attributes']): ErrorObject[] {
  return ['service-provider', 'http-url', 'api-url']
    .filter((name) => typeof attributes[name] !== 'string' || attributes[name] === '')
    .map((name) => invalid(`/data/attributes/${name}`, "can't be blank"));
}

export const writeOauthRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/oauth-clients', createClient],
  ['PATCH', '/oauth-clients/:id', updateClient],
  // Workspaces with a repository of this connection keep it and lose the connection, as on the live service.
  ['DELETE', '/oauth-clients/:id', removeNamed(clients)],
  ['POST', '/oauth-clients/:id/relationships/projects', changeProjects],
  ['DELETE', '/oauth-clients/:id/relationships/projects', changeProjects],
  ['PATCH', '/oauth-tokens/:id', updateToken],
  ['DELETE', '/oauth-tokens/:id', deleteToken],
];
