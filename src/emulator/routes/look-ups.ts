import { type Caller, isMember, isOwner } from '../callers.ts';
import { pageOf } from '../documents/list.ts';
import {
  agentPoolResource,
  oauthClientResource,
  oauthTokenResource,
  projectResource,
  sshKeyResource,
  teamResource,
} from '../documents/named-resources.ts';
import type { Resource } from '../documents/resource.ts';
import { json } from '../http/answer.ts';
import { notFound } from '../http/rejection.ts';
import type { Route } from '../http/router.ts';
import { type Handler, pathPart, type ServiceRequest } from '../http/service-request.ts';
import { nameFilter } from '../rules/name-filter.ts';
import type { Collections, NamedRecord, TeamRecord } from '../store/records.ts';
import type { World } from '../world.ts';
import { findOrganization } from './find-organization.ts';

type NamedCollection = {
  [Name in keyof Collections]: Collections[Name] extends NamedRecord ? Name : never;
}[keyof Collections];

interface LookUp<Name extends NamedCollection> {
  readonly collection: Name;
  readonly resource: (world: World, record: Collections[Name]) => Resource;
  readonly isVisible?: (caller: Caller, record: Collections[Name]) => boolean;
}

/** GET of all of an organization's things of one kind, with the filters by name. */
function list<Name extends NamedCollection>({ collection, resource, isVisible }: LookUp<Name>): Handler {
  return (request) => {
    const { world, caller, query } = request;
    const organization = findOrganization(request);
    const filter = nameFilter(query);
    const records = world.store
      .all(collection)
      .filter((record) => (record as NamedRecord).organization === organization.id)
      .filter((record) => (isVisible?.(caller, record) ?? true) && filter((record as NamedRecord).name));
    if (query.get('sort') === 'name')
      records.sort((a, b) => ((a as NamedRecord).name < (b as NamedRecord).name ? -1 : 1));
    return pageOf(request, records, (record) => JSON.stringify(resource(world, record)));
  };
}

/** GET of one by its id. */
function show<Name extends NamedCollection>({ collection, resource, isVisible }: LookUp<Name>): Handler {
  return (request) => {
    const { world, caller } = request;
    const record = world.store.get(collection, pathPart(request, 'id'));
    const visible =
      record &&
      isMember(caller, (record as NamedRecord).organization) &&
      (isVisible?.(caller, record) ?? true);
    if (!visible) throw notFound();
    return json(200, { data: resource(world, record) });
  };
}

/** A secret team is there for its members and for owners only. */
function isVisibleTeam(caller: Caller, team: TeamRecord): boolean {
  return !team.secret || isOwner(caller, team.organization) || caller.teams.includes(team.id);
}

const projects: LookUp<'projects'> = { collection: 'projects', resource: projectResource };
const teams: LookUp<'teams'> = {
  collection: 'teams',
  resource: (_, team) => teamResource(team),
  isVisible: isVisibleTeam,
};
const sshKeys: LookUp<'sshKeys'> = { collection: 'sshKeys', resource: (_, key) => sshKeyResource(key) };
const agentPools: LookUp<'agentPools'> = {
  collection: 'agentPools',
  resource: (_, pool) => agentPoolResource(pool),
};
const tokens: LookUp<'vcsConnections'> = {
  collection: 'vcsConnections',
  resource: (_, token) => oauthTokenResource(token),
};
const clients: LookUp<'vcsConnections'> = { ...tokens, resource: (_, client) => oauthClientResource(client) };

/** An OAuth client has an id of its own beside its token's. */
function findClient(request: ServiceRequest) {
  const id = pathPart(request, 'id');
  const record = request.world.store.all('vcsConnections').find((connection) => connection.client === id);
  if (!record || !isMember(request.caller, record.organization)) throw notFound();
  return record;
}

const organization = '/organizations/:organization';

/** Names to ids: what a configuration refers to by name. */
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
  ['GET', '/oauth-clients/:id', (request) => json(200, { data: oauthClientResource(findClient(request)) })],
  [
    'GET',
    '/oauth-clients/:id/oauth-tokens',
    (request) => pageOf(request, [findClient(request)], (token) => JSON.stringify(oauthTokenResource(token))),
  ],
];
