import type { PermissionPath } from '../model/attribute-values.ts';
import { type Permission, permissions } from '../model/permissions.ts';
import { reject } from './http/responses.ts';
import { grantedPermission } from './rules/resolve-access.ts';
import type { Collections, Role, Store, StoredTeam, StoredWorkspace } from './store/store.ts';

export interface RequestSender {
  readonly organization: string | null;
  readonly role: Role;
  readonly user: string;
  readonly holder: { readonly id: string; readonly type: 'users' | 'teams' | 'organizations' };
  readonly teams: readonly string[];
  readonly workspaces: ReadonlySet<string> | null;
}

const anyone: RequestSender = {
  organization: null,
  role: 'owner',
  user: 'user-owner',
  holder: { id: 'user-owner', type: 'users' },
  teams: [],
  workspaces: null,
};

/** The caller, by the Authorization header. Without configured tokens any header, or none, is an owner's. */
export function authenticate(
  store: Store,
  { authorization }: Readonly<Record<string, string | string[] | undefined>>,
): RequestSender {
  if (store.all('tokens').length === 0) return anyone;
  const secret = /^bearer\s+(\S+)\s*$/i.exec(String(authorization ?? ''))?.[1];
  const token = secret === undefined ? undefined : store.get('tokens', secret);
  if (!token) throw reject(401);
  const { organization, role, user, teams, workspaces } = token;
  const covered = workspaces && new Set(workspaces);
  return { organization, role, user, teams, holder: holderOf(token), workspaces: covered };
}

function holderOf({
  kind = 'user',
  organization,
  teams: [team],
  user,
}: Collections['tokens']): RequestSender['holder'] {
  if (kind === 'organization') return { id: organization, type: 'organizations' };
  return kind === 'team' && team !== undefined ? { id: team, type: 'teams' } : { id: user, type: 'users' };
}

export function isMember(caller: RequestSender, organization: string): boolean {
  return caller.role !== 'none' && (caller.organization === null || caller.organization === organization);
}

export function isOwner(caller: RequestSender, organization: string): boolean {
  return caller.role === 'owner' && isMember(caller, organization);
}

export function managesWorkspaces(caller: RequestSender, organization: string): boolean {
  return ['owner', 'manage-workspaces'].includes(caller.role) && isMember(caller, organization);
}

export function workspaceAccess(
  caller: RequestSender,
  { id, organization }: StoredWorkspace,
): 'none' | 'read' | 'admin' {
  if (!isMember(caller, organization)) return 'none';
  if (managesWorkspaces(caller, organization)) return 'admin';
  if (caller.workspaces?.has(id) === false) return 'none';
  return caller.role === 'workspace-admin' ? 'admin' : 'read';
}

export function mayForceDelete(store: Store, caller: RequestSender, workspace: StoredWorkspace): boolean {
  if (isOwner(caller, workspace.organization)) return true;
  const { settings } = store.get('organizations', workspace.organization) ?? {};
  const isAllowed = settings?.['allow-force-delete-workspaces'] === true;
  return isAllowed && workspaceAccess(caller, workspace) === 'admin';
}

export function hasProjectPermission(
  store: Store,
  { teams }: RequestSender,
  project: string,
  path: PermissionPath,
  least: Permission,
): boolean {
  const values: readonly Permission[] = permissions[path].values;
  const needed = values.indexOf(least);
  return store
    .grantsOf(project)
    .some((grant) => teams.includes(grant.team) && values.indexOf(grantedPermission(grant, path)) >= needed);
}

export function seesTeam(store: Store, caller: RequestSender, team: StoredTeam): boolean {
  const isSecret = (team.settings?.visibility ?? 'secret') === 'secret';
  if (!isSecret || isOwner(caller, team.organization) || caller.teams.includes(team.id)) return true;
  return caller.teams.some((id) =>
    store.get('teams', id)?.organizationAccess?.includes('access-secret-teams'),
  );
}
