import {
  type AnsweredResource,
  idTail,
  includesOf,
  linked,
  pageOf,
  toMany,
  toOne,
} from '../documents/resource.ts';
import { type RouteSet, route, type ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  invalid,
  invalidAttribute,
  noContent,
  notFound,
  rejectInvalid,
} from '../http/responses.ts';
import { givenId, readResource, readResourceList } from '../rules/request-document.ts';
import { setting } from '../rules/settings.ts';
import { idPrefixes } from '../seed/seed.ts';
import type { Collections } from '../store/store.ts';
import {
  findNamed,
  type NamedKind,
  type NamedWrite,
  readRoutes,
  saveNamed,
  type WritableKind,
  writeRoutes,
} from './named.ts';
import { projectResource } from './projects.ts';

type Connection = Collections['vcsConnections'];

const tokens: NamedKind<'vcsConnections'> = {
  collection: 'vcsConnections',
  type: 'oauth-tokens',
  settings: {},
  isVisible: (_, connection) => connection.tokenless !== true,
  document: tokenResource,
};

function tokenResource(request: ServiceRequest, connection: Connection): AnsweredResource {
  const { id, client, provider, hasSshKey = false } = connection;
  return {
    id,
    type: 'oauth-tokens',
    attributes: {
      'created-at': createdAt(request, connection),
      'service-provider-user': provider,
      'has-ssh-key': hasSshKey,
    },
    relationships: { 'oauth-client': toOne('oauth-clients', client) },
    links: { self: `/api/v2/oauth-tokens/${id}` },
  };
}

function createdAt({ world }: ServiceRequest, connection: Connection): string | null {
  return connection.createdAt ?? world.store.get('organizations', connection.organization)?.createdAt ?? null;
}

const clients: WritableKind<'vcsConnections'> = {
  collection: 'vcsConnections',
  type: 'oauth-clients',
  idOf: ({ client }) => client,
  settings: {
    'http-url': setting.text,
    'api-url': setting.text,
    key: setting.text,
    'rsa-public-key': setting.text,
    'ado-entra-tenant-id': setting.text,
    'organization-scoped': setting.flag(true),
    secret: setting.secret,
    'private-key': setting.secret,
    'oauth-token-string': setting.secret,
  },
  names: { optional: true },
  related: { projects: 'projects' },
  // The official client's tests send projects of other organizations.
  ignoresForeign: true,
  identify: (store, { organization, name, provider }) => ({
    id: store.nextId(idPrefixes.vcsConnections, `${organization}/${name || provider}`),
    client: store.nextId('oc', `${organization}/${name || provider}`),
  }),
  attributes: (request, connection) => {
    const { name, provider } = connection;
    const created = createdAt(request, connection);
    const uuid = idTail(connection.client);
    return {
      name: name === '' ? null : name,
      'created-at': created,
      'updated-at': created,
      'callback-url': `https://vcs.example.com/auth/${uuid}/callback`,
      'connect-path': `/auth/${uuid}?organization_id=1`,
      'service-provider': provider,
      'service-provider-display-name': providerNames.get(provider) ?? provider,
      secret: null,
      uuid,
    };
  },
  relationships: (_, { client, agentPool = null, id, tokenless }) => ({
    'agent-pool': toOne('agent-pools', agentPool),
    'oauth-tokens': {
      ...toMany('oauth-tokens', tokenless ? [] : [id]),
      ...linked(`/api/v2/oauth-clients/${client}/oauth-tokens`),
    },
  }),
  *included(request, connection) {
    const includes = includesOf(request);
    if (includes.includes('oauth_tokens') && !connection.tokenless) yield tokenResource(request, connection);
    for (const id of includes.includes('projects') ? (connection.related?.projects ?? []) : []) {
      const project = request.world.store.get('projects', id);
      if (project) yield projectResource(request, project);
    }
  },
  resolve: resolveClient,
};

const providerNames: ReadonlyMap<string, string> = new Map([
  ['github', 'GitHub'],
  ['github_enterprise', 'GitHub Enterprise'],
  ['gitlab_hosted', 'GitLab.com'],
  ['bitbucket_data_center', 'Bitbucket Data Center'],
]);

function resolveClient(input: NamedWrite<'vcsConnections'>) {
  const { request, organization, resource, given, before, errors } = input;
  const { attributes } = resource;
  for (const name of before ? [] : ['service-provider', 'http-url', 'api-url']) {
    if (typeof attributes[name] !== 'string' || attributes[name] === '')
      errors.push(invalidAttribute(name, "can't be blank"));
  }
  const pool = givenId(resource, 'agent-pool');
  if (pool !== undefined && request.world.store.get('agentPools', pool)?.organization !== organization) {
    const detail = 'the provided agent pool does not exist or you are not authorized to use it';
    errors.push(invalid('/data/relationships/agent-pool', detail));
  }
  if (before?.provider === 'bitbucket_data_center' && given.key === '')
    errors.push(invalidAttribute('key', "Key can't be blank"));
  return {
    agentPool: pool ?? before?.agentPool ?? null,
    provider: before?.provider ?? String(attributes['service-provider']),
    // A client that is created with a token string is connected at once; others need a browser.
    tokenless: attributes['oauth-token-string'] ? false : !before || before.tokenless,
  };
}

function changeProjects(request: ServiceRequest): Answer {
  const { store } = request.world;
  const before = findNamed(clients, request, 'update');
  const ids = readResourceList(request.body).map(({ id }) => String(id));
  if (ids.some((id) => store.get('projects', id)?.organization !== before.organization)) throw notFound();
  const known = before.related?.projects ?? [];
  const projects =
    request.method === 'POST'
      ? [...new Set([...known, ...ids])]
      : known.filter((project) => !ids.includes(project));
  store.put('vcsConnections', { ...before, related: { projects } });
  return noContent;
}

function updateToken(request: ServiceRequest): Answer {
  const before = findNamed(tokens, request, 'update');
  const { 'ssh-key': key } = readResource(request.body, 'oauth-tokens').attributes;
  if (key !== undefined && key !== null && !/^-----BEGIN [A-Z ]*PRIVATE KEY-----\s/.test(String(key)))
    throw rejectInvalid('/data/attributes/ssh-key', 'Ssh key is invalid');
  return saveNamed(tokens, request, key === undefined ? before : { ...before, hasSshKey: Boolean(key) });
}

function deleteToken(request: ServiceRequest): Answer {
  const token = findNamed(tokens, request, 'delete');
  request.world.store.put('vcsConnections', { ...token, tokenless: true });
  return noContent;
}

export const oauthRoutes: RouteSet = {
  common: [
    ...readRoutes(tokens),
    ...readRoutes(clients),
    route('GET', '/oauth-clients/:id/oauth-tokens', (request) => {
      const client = findNamed(clients, request);
      return pageOf(request, client.tokenless ? [] : [client], (token) => tokenResource(request, token));
    }),
  ],
  /** Workspaces with a repository of a deleted client keep it and lose the connection, as on the live service. */
  live: [
    ...writeRoutes(clients),
    ['POST', '/oauth-clients/:id/relationships/projects', changeProjects],
    ['DELETE', '/oauth-clients/:id/relationships/projects', changeProjects],
    ['PATCH', '/oauth-tokens/:id', updateToken],
    ['DELETE', '/oauth-tokens/:id', deleteToken],
  ],
};
