import { isRecord } from '../../model/value.ts';
import { seesTeam } from '../callers.ts';
import { agentPoolResource, sshKeyResource, teamResource } from '../documents/named-resources.ts';
import { invalid, refuseInvalid, reject } from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { givenIds, readResource } from '../rules/request-document.ts';
import { organizationAccess, readWrittenSettings, teamSettings } from '../rules/written-settings.ts';
import type { StoredAgentPool, StoredEntity, StoredTeam } from '../store/records.ts';
import { readName, readRoutes, type WritableKind, writeRoutes } from './named.ts';

const sshKeys: WritableKind<'sshKeys'> = {
  collection: 'sshKeys',
  type: 'ssh-keys',
  resource: (_, key) => sshKeyResource(key),
  resolve: resolveSshKey,
  // Workspaces that use the key lose it.
  release: ({ world: { store } }, key) => {
    for (const workspace of store.workspaces.all(key.organization)) {
      if (workspace.sshKey === key.id) store.put('workspaces', { ...workspace, sshKey: null });
    }
  },
};

const agentPools: WritableKind<'agentPools'> = {
  collection: 'agentPools',
  type: 'agent-pools',
  isDated: true,
  resource: ({ world }, pool) => agentPoolResource(world, pool),
  filter: poolFilter,
  resolve: resolveAgentPool,
  release: ({ world: { store } }, { id, organization }) => {
    const isUsed =
      store.workspaces.all(organization).some(({ attributes }) => attributes['agent-pool-id'] === id) ||
      store.all('projects').some(({ agentPool }) => agentPool === id) ||
      store.get('organizations', organization)?.defaultAgentPool === id;
    if (isUsed) throw reject(422, 'Agent pool cannot be deleted because it is in use.');
  },
};

const teams: WritableKind<'teams'> = {
  collection: 'teams',
  type: 'teams',
  // As documented.
  createdStatus: 200,
  resource: ({ world, caller }, team) => teamResource(world, team, caller),
  isVisible: ({ world, caller }, team) => seesTeam(world.store, caller, team),
  resolve: resolveTeam,
  release: ({ world: { store } }, team) => {
    for (const grant of store.all('grants')) if (grant.team === team.id) store.remove('grants', grant.id);
  },
};

/** Objects that a configuration refers to by name. */
export const lookUpRoutes: readonly Route[] = [
  ...readRoutes(teams),
  ...readRoutes(sshKeys),
  ...readRoutes(agentPools),
];

/** Only the live service has them. */
export const liveLookUpRoutes: readonly Route[] = [
  ...writeRoutes(teams),
  ...writeRoutes(sshKeys),
  ...writeRoutes(agentPools),
];

/** The key itself is not stored: the emulator does not use it, and no response may contain it. */
function resolveSshKey({ body }: ServiceRequest, _organization: string, before: StoredEntity | undefined) {
  const resource = readResource(body, 'ssh-keys');
  const { name, errors } = readName(resource, { taken: [], before });
  const { value } = resource.attributes;
  if (!before && (typeof value !== 'string' || value === ''))
    errors.push(invalid('/data/attributes/value', "Value can't be blank"));
  refuseInvalid(errors);
  return { name };
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

function resolveAgentPool(
  { world, body }: ServiceRequest,
  organization: string,
  before: StoredAgentPool | undefined,
) {
  const { store } = world;
  const resource = readResource(body, 'agent-pools');
  const { name, errors } = readName(resource, {
    taken: store.all('agentPools').filter((pool) => pool.organization === organization),
    before,
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

function resolveTeam({ world, body }: ServiceRequest, organization: string, before: StoredTeam | undefined) {
  const resource = readResource(body, 'teams');
  const { name, errors } = readName(resource, {
    taken: world.store.all('teams').filter((team) => team.organization === organization),
    before,
    pattern: /^[A-Za-z0-9/_-]+(?: [A-Za-z0-9/_-]+)*$/,
    detail: 'Name may only contain letters, numbers, spaces, /, -, and _',
  });
  const { visibility, 'organization-access': access } = resource.attributes;
  const settings = readWrittenSettings(teamSettings, resource.attributes, errors);
  if (visibility !== undefined && visibility !== 'secret' && visibility !== 'organization') {
    errors.push(invalid('/data/attributes/visibility', 'must be one of secret, organization'));
  }
  refuseInvalid(errors);
  const isOn = (permission: string): boolean => {
    const value = isRecord(access) ? access[permission] : undefined;
    return typeof value === 'boolean' ? value : (before?.organizationAccess?.includes(permission) ?? false);
  };
  return {
    name,
    secret: visibility === undefined ? (before?.secret ?? true) : visibility === 'secret',
    settings: { ...before?.settings, ...settings },
    organizationAccess: organizationAccess.filter(isOn),
  };
}
