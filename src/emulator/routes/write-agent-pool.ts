import { agentPoolResource } from '../documents/named-resources.ts';
import { type Answer, invalid, json, noContent, refuseInvalid, reject } from '../http/answer.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import { idPrefixes } from '../seed/references.ts';
import type { StoredAgentPool } from '../store/records.ts';
import { findOwned, givenIds, readName, refuseOthers } from './write-named.ts';

function createAgentPool(request: ServiceRequest): Answer {
  const { world } = request;
  const organization = findOwned(request).id;
  const resolved = resolve(request, organization, undefined);
  const id = world.store.nextId(idPrefixes.agentPools, `${organization}/${resolved.name}`);
  return answer(request, { id, organization, createdAt: world.now(), ...resolved }, 201);
}

function updateAgentPool(request: ServiceRequest): Answer {
  const before = findAgentPool(request);
  return answer(request, { ...before, ...resolve(request, before.organization, before) });
}

/** Refuses to delete a pool that workspaces, projects or the organization use. */
function deleteAgentPool(request: ServiceRequest): Answer {
  const { store } = request.world;
  const pool = findAgentPool(request);
  const isUsed =
    store.workspaces
      .all(pool.organization)
      .some(({ attributes }) => attributes['agent-pool-id'] === pool.id) ||
    store.all('projects').some(({ agentPool }) => agentPool === pool.id) ||
    store.get('organizations', pool.organization)?.defaultAgentPool === pool.id;
  if (isUsed) throw reject(422, 'Agent pool cannot be deleted because it is in use.');
  store.remove('agentPools', pool.id);
  return noContent;
}

function findAgentPool(request: ServiceRequest): StoredAgentPool {
  const pool = request.world.store.get('agentPools', pathPart(request, 'id'));
  refuseOthers(request, pool);
  return pool;
}

function answer(request: ServiceRequest, pool: StoredAgentPool, status = 200): Answer {
  request.world.store.put('agentPools', pool);
  return json(status, { data: agentPoolResource(request.world, pool) });
}

function resolve({ world, body }: ServiceRequest, organization: string, before: StoredAgentPool | undefined) {
  const { store } = world;
  const resource = readResource(body, 'agent-pools');
  const { name, errors } = readName(resource, {
    taken: store.all('agentPools').filter((pool) => pool.organization === organization),
    ...(before && { before }),
  });
  const { 'organization-scoped': scoped = before?.organizationScoped ?? true } = resource.attributes;
  if (typeof scoped !== 'boolean')
    errors.push(invalid('/data/attributes/organization-scoped', 'must be true or false'));
  const related = (relation: string, kind: 'workspaces' | 'projects') => {
    const ids = givenIds(resource, relation);
    if (ids?.some((id) => store.get(kind, id)?.organization !== organization))
      errors.push(invalid(`/data/relationships/${relation}`, `must name ${kind} of this organization`));
    return ids;
  };
  const workspaces = related('allowed-workspaces', 'workspaces');
  const projects = related('allowed-projects', 'projects');
  const excluded = related('excluded-workspaces', 'workspaces');
  refuseInvalid(errors);
  return {
    name,
    organizationScoped: scoped === true,
    allowedWorkspaces: workspaces ?? before?.allowedWorkspaces ?? [],
    allowedProjects: projects ?? before?.allowedProjects ?? [],
    excludedWorkspaces: excluded ?? before?.excludedWorkspaces ?? [],
  };
}

export const writeAgentPoolRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/agent-pools', createAgentPool],
  ['PATCH', '/agent-pools/:id', updateAgentPool],
  ['DELETE', '/agent-pools/:id', deleteAgentPool],
];
