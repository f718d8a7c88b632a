import { isRecord } from '../../model/value.ts';
import { isOwner, seesTeam } from '../callers.ts';
import { each, linked, toMany, words } from '../documents/resource.ts';
import type { RouteSet, ServiceRequest } from '../http/handle-request.ts';
import { invalidAttribute, reject } from '../http/responses.ts';
import { setting } from '../rules/settings.ts';
import type { StoredEntity, StoredTeam } from '../store/store.ts';
import { type NamedWrite, readRoutes, type WritableKind, writeRoutes } from './named.ts';

/** The key itself is not stored: the emulator does not use it, and no response may contain it. */
const sshKeys: WritableKind<'sshKeys'> = {
  collection: 'sshKeys',
  type: 'ssh-keys',
  settings: {},
  names: {},
  resolve: ({ resource: { attributes }, before, errors }) => {
    const { value } = attributes;
    if (!before && (typeof value !== 'string' || value === ''))
      errors.push(invalidAttribute('value', "Value can't be blank"));
    return {};
  },
  release: ({ world: { store } }, key) => {
    for (const workspace of store.ownedBy(key.organization, 'workspaces'))
      if (workspace.sshKey === key.id) store.put('workspaces', { ...workspace, sshKey: null });
  },
};

export const agentPools: WritableKind<'agentPools'> = {
  collection: 'agentPools',
  type: 'agent-pools',
  settings: { 'organization-scoped': setting.flag(true) },
  names: { unique: true },
  related: {
    'allowed-workspaces': 'workspaces',
    'allowed-projects': 'projects',
    'excluded-workspaces': 'workspaces',
  },
  attributes: ({ world }, { createdAt, organization }) => ({
    'created-at': createdAt ?? world.store.get('organizations', organization)?.createdAt ?? null,
    'agent-count': 0,
  }),
  relationships: ({ world: { store } }, { id, organization }) => ({
    agents: linked(`/api/v2/agent-pools/${id}/agents`),
    'authentication-tokens': linked(`/api/v2/agent-pools/${id}/authentication-tokens`),
    workspaces: toMany(
      'workspaces',
      store
        .ownedBy(organization, 'workspaces')
        .flatMap((one) => (one.attributes['agent-pool-id'] === id ? one.id : [])),
    ),
  }),
  filter: poolFilter,
  release: ({ world: { store } }, { id, organization }) => {
    const isUsed =
      store
        .ownedBy(organization, 'workspaces')
        .some(({ attributes }) => attributes['agent-pool-id'] === id) ||
      store.all('projects').some(({ agentPool }) => agentPool === id) ||
      store.get('organizations', organization)?.defaultAgentPool === id;
    if (isUsed) throw reject(422, 'Agent pool cannot be deleted because it is in use.');
  },
};

function poolFilter({ world, query }: ServiceRequest): (pool: StoredEntity) => boolean {
  const allows = (pool: StoredEntity, kind: 'workspaces' | 'projects') => {
    const name = query.get(`filter[allowed_${kind}][name]`);
    const ids = pool.related?.[`allowed-${kind}`] ?? [];
    return name === null || ids.some((id) => world.store.get(kind, id)?.name === name);
  };
  return (pool) =>
    pool.settings?.['organization-scoped'] !== false ||
    (allows(pool, 'workspaces') && allows(pool, 'projects'));
}

export const teams: WritableKind<'teams'> = {
  collection: 'teams',
  type: 'teams',
  settings: {
    description: setting.text,
    'sso-team-id': setting.text,
    'allow-member-token-management': setting.flag(true),
    visibility: setting.choice(['secret', 'organization']),
  },
  names: {
    unique: true,
    pattern: /^[A-Za-z0-9/_-]+(?: [A-Za-z0-9/_-]+)*$/,
    detail: 'Name may only contain letters, numbers, spaces, /, -, and _',
  },
  createdStatus: 200,
  attributes: ({ world, caller }, team) => ({
    'users-count': membersOf(world, team).length,
    'organization-access': Object.fromEntries(
      organizationAccess.map((name) => [name, team.organizationAccess?.includes(name) ?? false]),
    ),
    permissions: each(teamPermissions, isOwner(caller, team.organization), 'can-'),
  }),
  relationships: ({ world }, team) => ({
    users: toMany('users', membersOf(world, team)),
    'authentication-token': linked(`/api/v2/teams/${team.id}/authentication-token`),
  }),
  isVisible: ({ world, caller }, team) => seesTeam(world.store, caller, team),
  resolve: ({ resource: { attributes }, before }: NamedWrite<'teams'>) => {
    const access = attributes['organization-access'];
    const isOn = (name: string): boolean => {
      const value = isRecord(access) ? access[name] : undefined;
      return typeof value === 'boolean' ? value : (before?.organizationAccess?.includes(name) ?? false);
    };
    return { organizationAccess: organizationAccess.filter(isOn) };
  },
  release: ({ world: { store } }, team) => {
    for (const grant of store.all('grants')) if (grant.team === team.id) store.remove('grants', grant.id);
  },
};

function membersOf({ store }: ServiceRequest['world'], team: StoredTeam): readonly string[] {
  return store
    .all('tokens')
    .flatMap(({ kind = 'user', teams: own, user }) => (kind === 'user' && own.includes(team.id) ? user : []));
}

const organizationAccess = words(`
  manage-policies manage-workspaces manage-vcs-settings manage-policy-overrides
  delegate-policy-overrides manage-modules manage-providers manage-run-tasks manage-projects
  manage-membership manage-teams manage-organization-access access-secret-teams read-projects
  read-workspaces manage-agent-pools
`);

const teamPermissions = words(`
  update-membership destroy update-organization-access update-api-token update-visibility update-name
  update-sso-team-id update-member-token-management view-api-token
`);

export const lookUpRoutes: RouteSet = {
  common: [...readRoutes(teams), ...readRoutes(sshKeys), ...readRoutes(agentPools)],
  live: [...writeRoutes(teams), ...writeRoutes(sshKeys), ...writeRoutes(agentPools)],
};
