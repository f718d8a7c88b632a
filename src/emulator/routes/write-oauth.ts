import { oauthClientResource, oauthTokenResource } from '../documents/named-resources.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/answer.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { givenId, readResource, readResourceList } from '../rules/request-document.ts';
import { connectionSettings, readWrittenSettings } from '../rules/settings.ts';
import { idPrefixes } from '../seed/references.ts';
import type { StoredVcsConnection } from '../store/records.ts';
import { findClient } from './look-ups.ts';
import { findOwned, givenIds, refuseOthers } from './write-named.ts';

/** A client that is created with a token string is connected at once; others need a browser, so they have no token. */
function createClient(request: ServiceRequest): Answer {
  const { world } = request;
  const organization = findOwned(request).id;
  const { attributes } = readResource(request.body, 'oauth-clients');
  const errors: ErrorObject[] = [];
  for (const name of ['service-provider', 'http-url', 'api-url']) {
    if (typeof attributes[name] !== 'string' || attributes[name] === '')
      errors.push(invalid(`/data/attributes/${name}`, "can't be blank"));
  }
  const resolved = resolve(request, organization, undefined, errors);
  const provider = String(attributes['service-provider']);
  const label = `${organization}/${resolved.name || provider}`;
  const connection: StoredVcsConnection = {
    id: world.store.nextId(idPrefixes.vcsConnections, label),
    client: world.store.nextId('oc', label),
    organization,
    provider,
    createdAt: world.now(),
    ...(!attributes['oauth-token-string'] && { tokenless: true }),
    ...resolved,
  };
  world.store.put('vcsConnections', connection);
  return json(201, { data: oauthClientResource(world, connection) });
}

function updateClient(request: ServiceRequest): Answer {
  const before = findOwnedClient(request);
  const errors: ErrorObject[] = [];
  const resolved = resolve(request, before.organization, before, errors);
  const { attributes } = readResource(request.body, 'oauth-clients');
  const after = {
    ...before,
    ...resolved,
    ...(Boolean(attributes['oauth-token-string']) && { tokenless: false }),
  };
  request.world.store.put('vcsConnections', after);
  return json(200, { data: oauthClientResource(request.world, after) });
}

/** Workspaces with a repository of this connection keep it and lose the connection, as on the live service. */
function deleteClient(request: ServiceRequest): Answer {
  request.world.store.remove('vcsConnections', findOwnedClient(request).id);
  return noContent;
}

/** POST adds the projects that may use the client, DELETE removes them. */
function changeProjects(request: ServiceRequest): Answer {
  const { store } = request.world;
  const before = findOwnedClient(request);
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
  const before = findToken(request);
  const { attributes } = readResource(request.body, 'oauth-tokens');
  const key = attributes['ssh-key'];
  if (key !== undefined && key !== null && !/^-----BEGIN [A-Z ]*PRIVATE KEY-----\s/.test(String(key)))
    refuseInvalid([invalid('/data/attributes/ssh-key', 'Ssh key is invalid')]);
  const after = { ...before, ...(key !== undefined && { hasSshKey: Boolean(key) }) };
  request.world.store.put('vcsConnections', after);
  return json(200, { data: oauthTokenResource(request.world, after) });
}

/** The client is kept, but is no longer connected. */
function deleteToken(request: ServiceRequest): Answer {
  request.world.store.put('vcsConnections', { ...findToken(request), tokenless: true });
  return noContent;
}

function findOwnedClient(request: ServiceRequest): StoredVcsConnection {
  const client = findClient(request);
  refuseOthers(request, client);
  return client;
}

function findToken(request: ServiceRequest): StoredVcsConnection {
  const token = request.world.store.get('vcsConnections', pathPart(request, 'id'));
  refuseOthers(request, token);
  if (token.tokenless) throw notFound();
  return token;
}

function resolve(
  { world, body }: ServiceRequest,
  organization: string,
  before: StoredVcsConnection | undefined,
  errors: ErrorObject[],
) {
  const { store } = world;
  const resource = readResource(body, 'oauth-clients');
  const { name = before?.name ?? '', 'organization-scoped': scoped = before?.organizationScoped ?? true } =
    resource.attributes;
  const settings = readWrittenSettings(connectionSettings, resource.attributes, errors);
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
  };
}

export const writeOauthRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/oauth-clients', createClient],
  ['PATCH', '/oauth-clients/:id', updateClient],
  ['DELETE', '/oauth-clients/:id', deleteClient],
  ['POST', '/oauth-clients/:id/relationships/projects', changeProjects],
  ['DELETE', '/oauth-clients/:id/relationships/projects', changeProjects],
  ['PATCH', '/oauth-tokens/:id', updateToken],
  ['DELETE', '/oauth-tokens/:id', deleteToken],
];
