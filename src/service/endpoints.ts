import { AttuneError } from '../model/diagnostic.ts';
import type { TagBindings } from '../model/list-rule.ts';
import type { WriteRequest } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';

/**
 * Every endpoint of the interface (section 4), the look-ups by name and what plans need of live services, relative to
 * `/api/v2`. The calls of a plan, the reads and the methods of the library all take their paths from this table.
 */
export const endpoints = {
  createWorkspace: ['POST', '/organizations/:organization/workspaces'],
  listWorkspaces: ['GET', '/organizations/:organization/workspaces'],
  showWorkspace: ['GET', '/workspaces/:workspace'],
  showWorkspaceByName: ['GET', '/organizations/:organization/workspaces/:name'],
  updateWorkspace: ['PATCH', '/workspaces/:workspace'],
  updateWorkspaceByName: ['PATCH', '/organizations/:organization/workspaces/:name'],
  safeDeleteWorkspace: ['POST', '/workspaces/:workspace/actions/safe-delete'],
  safeDeleteWorkspaceByName: ['POST', '/organizations/:organization/workspaces/:name/actions/safe-delete'],
  forceDeleteWorkspace: ['DELETE', '/workspaces/:workspace'],
  forceDeleteWorkspaceByName: ['DELETE', '/organizations/:organization/workspaces/:name'],
  lockWorkspace: ['POST', '/workspaces/:workspace/actions/lock'],
  unlockWorkspace: ['POST', '/workspaces/:workspace/actions/unlock'],
  forceUnlockWorkspace: ['POST', '/workspaces/:workspace/actions/force-unlock'],
  assignSshKey: ['PATCH', '/workspaces/:workspace/relationships/ssh-key'],
  listConsumers: ['GET', '/workspaces/:workspace/relationships/remote-state-consumers'],
  replaceConsumers: ['PATCH', '/workspaces/:workspace/relationships/remote-state-consumers'],
  addConsumers: ['POST', '/workspaces/:workspace/relationships/remote-state-consumers'],
  removeConsumers: ['DELETE', '/workspaces/:workspace/relationships/remote-state-consumers'],
  listTags: ['GET', '/workspaces/:workspace/relationships/tags'],
  addTags: ['POST', '/workspaces/:workspace/relationships/tags'],
  removeTags: ['DELETE', '/workspaces/:workspace/relationships/tags'],
  upsertBindings: ['PATCH', '/workspaces/:workspace/tag-bindings'],
  showRetention: ['GET', '/workspaces/:workspace/relationships/data-retention-policy'],
  setRetention: ['POST', '/workspaces/:workspace/relationships/data-retention-policy'],
  removeRetention: ['DELETE', '/workspaces/:workspace/relationships/data-retention-policy'],
  listTeamProjects: ['GET', '/team-projects'],
  showTeamProject: ['GET', '/team-projects/:id'],
  createGrant: ['POST', '/team-projects'],
  updateGrant: ['PATCH', '/team-projects/:id'],
  deleteGrant: ['DELETE', '/team-projects/:id'],
  showOrganization: ['GET', '/organizations/:organization'],
  listProjects: ['GET', '/organizations/:organization/projects'],
  showProject: ['GET', '/projects/:id'],
  createProject: ['POST', '/organizations/:organization/projects'],
  updateProject: ['PATCH', '/projects/:id'],
  deleteProject: ['DELETE', '/projects/:id'],
  upsertProjectBindings: ['PATCH', '/projects/:id/tag-bindings'],
  moveWorkspaces: ['POST', '/projects/:id/relationships/workspaces'],
  listRecoverableItems: ['GET', '/organizations/:organization/recoverable-items'],
  recoverWorkspace: ['PUT', '/recoverable-items/:id/actions/recover'],
  listTeams: ['GET', '/organizations/:organization/teams'],
  listSshKeys: ['GET', '/organizations/:organization/ssh-keys'],
  listAgentPools: ['GET', '/organizations/:organization/agent-pools'],
  listOauthClients: ['GET', '/organizations/:organization/oauth-clients'],
  listOauthClientTokens: ['GET', '/oauth-clients/:id/oauth-tokens'],
} as const satisfies Record<string, readonly [method: 'GET' | WriteRequest['method'], path: `/${string}`]>;

export type Endpoint = keyof typeof endpoints;
type EndpointBy<Method extends string> = {
  [Name in Endpoint]: (typeof endpoints)[Name][0] extends Method ? Name : never;
}[Endpoint];
export type ReadEndpoint = EndpointBy<'GET'>;
export type WriteEndpoint = EndpointBy<WriteRequest['method']>;

type NamesIn<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export type PathParameters<Name extends Endpoint> = {
  readonly [Parameter in NamesIn<(typeof endpoints)[Name][1]>]: string;
};

export function pathTo<Name extends Endpoint>(endpoint: Name, parameters: PathParameters<Name>): string {
  const values: Readonly<Record<string, string>> = parameters;
  return endpoints[endpoint][1].replaceAll(/:(\w+)/g, (_segment, name: string) =>
    encoded(values[name] ?? ''),
  );
}

export function requestTo<Name extends WriteEndpoint>(
  endpoint: Name,
  parameters: PathParameters<Name>,
  body?: Value,
): WriteRequest {
  const [method]: readonly [WriteRequest['method'], string] = endpoints[endpoint];
  const request = { method, path: pathTo(endpoint, parameters) };
  return body === undefined ? request : { ...request, body };
}

/** Braces are not encoded, because a plan has `{workspace.<name>}` as the placeholder of an unknown id. */
function encoded(value: string): string {
  if (/^\.{0,2}$/.test(value)) {
    throw new AttuneError(`invalid id or name "${value}"`, {
      code: 'bad-path-segment',
      hint: 'use an id or a name',
    });
  }
  return encodeURIComponent(value).replaceAll('%7B', '{').replaceAll('%7D', '}');
}

export function sshKeyBody(id: Value): Value {
  return { data: { type: 'workspaces', attributes: { id } } };
}

export function tagsBody(tags: readonly (string | { readonly id: string })[]): Value {
  return {
    data: tags.map((tag) =>
      typeof tag === 'string' ? { type: 'tags', attributes: { name: tag } } : { type: 'tags', id: tag.id },
    ),
  };
}

export function bindingsBody(bindings: TagBindings): Value {
  return {
    data: Object.entries(bindings).map(([key, value]) => ({
      type: 'tag-bindings',
      attributes: value === null ? { key } : { key, value },
    })),
  };
}

export function consumersBody(ids: readonly Value[]): Value {
  return { data: ids.map((id) => ({ type: 'workspaces', id })) };
}

export function retentionBody(policy: Value): Value {
  const days = isRecord(policy) ? (policy['delete-older-than-days'] as Value | undefined) : undefined;
  const data =
    days === undefined
      ? { type: 'data-retention-policy-dont-deletes', attributes: {} }
      : { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } };
  return { data };
}
