import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import { type NestedAttribute, wirePlaces } from '../../model/attributes.ts';
import { mayForceDelete, type RequestSender, workspaceAccess } from '../callers.ts';
import { executionInEffect } from '../rules/execution.ts';
import { inheritedSchedule } from '../rules/resolve-workspace.ts';
import { bindingsInEffect } from '../rules/tag-rules.ts';
import type { StoredWorkspace } from '../store/store.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import {
  type AnsweredResource,
  bindingsRelationship,
  each,
  idTail,
  linked,
  retentionIdentifier,
  toMany,
  toOne,
  words,
} from './resource.ts';

/** Where a workspace has no own mode and pool, the defaults are shown (interface, section 2.1). */
export function shownWorkspace(
  world: World,
  workspace: StoredWorkspace,
  caller: RequestSender,
  includes: readonly string[] = [],
): AnsweredResource {
  const { id, organization, name, attributes: own } = workspace;
  const { store } = world;
  const project = store.get('projects', workspace.project);
  const { mode, agentPool: pool } = executionInEffect(store, organization, project, own);
  const isAdmin = workspaceAccess(caller, workspace) === 'admin';
  return {
    id,
    type: 'workspaces',
    attributes: {
      name,
      ...writableAttributes(world, workspace, mode, pool),
      ...readOnlyAttributes(world, workspace),
      permissions: {
        ...each(ofReaders, true, 'can-'),
        ...each(ofAdmins, isAdmin, 'can-'),
        'can-force-delete': mayForceDelete(store, caller, workspace),
      },
    },
    relationships: workspaceRelationships(world, workspace, pool, includes),
    links: {
      self: `/api/v2/organizations/${organization}/workspaces/${name}`,
      'self-html': `/app/${organization}/workspaces/${name}`,
    },
  };
}

const ofReaders = words(`
  read-run read-variable read-state-versions read-state-outputs read-settings read-assessment-results
`);
const ofAdmins = words(`
  update destroy queue-run update-variable create-state-versions queue-apply lock unlock force-unlock manage-tags
  manage-run-tasks manage-assessments manage-ephemeral-workspaces queue-destroy
`);

function writableAttributes(
  world: World,
  workspace: StoredWorkspace,
  mode: string,
  pool: string | null,
): Record<string, unknown> {
  const { dialect } = world;
  const own = workspace.attributes;
  const shown: Partial<Record<AttributePath, unknown>> = {
    'execution-mode': mode,
    'agent-pool-id': pool,
    operations: mode !== 'local',
  };
  const inherited = dialect === 'terraform' ? inheritedSchedule(world, workspace) : undefined;
  if (inherited !== undefined) shown['auto-destroy-activity-duration'] = inherited;
  const attributes: Record<string, unknown> = {};
  const nested: Record<NestedAttribute, Record<string, unknown>> = {
    'vcs-repo': {},
    'setting-overwrites': {},
  };
  for (const { path, holder, name } of wirePlaces[dialect]) {
    if (workspaceAttributes[path].hostedOnly && !hasAssessments(world)) continue;
    // The live service accepts the id as an attribute and returns the pool as a relationship only.
    if (path === 'agent-pool-id' && dialect === 'terraform') continue;
    const target = holder === undefined ? attributes : nested[holder];
    target[name] = path in shown ? shown[path] : own[path];
  }
  const repository =
    own['vcs-repo.identifier'] === null
      ? null
      : { ...nested['vcs-repo'], ...repositoryDetails(world, workspace) };
  return { ...attributes, ...nested, 'vcs-repo': repository };
}

function readOnlyAttributes(world: World, workspace: StoredWorkspace): object {
  const { attributes, state, lock, structuredRunOutput = true } = workspace;
  return {
    ...each(notModelled, null),
    actions: { 'is-destroyable': true },
    'inherits-project-auto-destroy': inheritedSchedule(world, workspace) !== undefined,
    'created-at': workspace.createdAt,
    'updated-at': workspace.updatedAt,
    'latest-change-at': latestChangeAt(workspace),
    environment: 'default',
    locked: lock !== null,
    'locked-reason': lock ? lock.reason : null,
    'oauth-client-name': connectionOf(world, workspace)?.name ?? null,
    'apply-duration-average': 0,
    'plan-duration-average': 0,
    'resource-count': state.resourceCount,
    source: world.dialect === 'terraform' ? 'tfe-api' : 'api',
    'structured-run-output-enabled': structuredRunOutput,
    'tag-names': workspace.tags,
    'vcs-repo-identifier': attributes['vcs-repo.identifier'],
  };
}

const notModelled = words(`
  auto-destroy-status last-assessment-result-at policy-check-failures run-failures workspace-kpis-runs-count
`);

export function latestChangeAt(workspace: StoredWorkspace): string {
  return workspace.state.createdAt ?? workspace.createdAt;
}

/** The keys of `vcs-repo` that only responses have (interface, section 2.2). */
function repositoryDetails(world: World, workspace: StoredWorkspace): object {
  const identifier = workspace.attributes['vcs-repo.identifier'];
  const provider = connectionOf(world, workspace)?.provider ?? 'github';
  return {
    'display-identifier': identifier,
    'repository-http-url': `https://${hosts.get(provider) ?? `${provider}.example.com`}/${identifier}`,
    'service-provider': provider,
    'webhook-url': `https://hooks.example.com/${workspace.id}`,
  };
}

const hosts: ReadonlyMap<string, string> = new Map([
  ['github', 'github.com'],
  ['gitlab_hosted', 'gitlab.com'],
]);

function connectionOf(world: World, workspace: StoredWorkspace) {
  const token = workspace.attributes['vcs-repo.oauth-token-id'];
  return typeof token === 'string' ? world.store.get('vcsConnections', token) : undefined;
}

function workspaceRelationships(
  world: World,
  workspace: StoredWorkspace,
  pool: string | null,
  includes: readonly string[],
): Record<string, unknown> {
  const { id, organization, project, run, state, sshKey, lock, readme, retention } = workspace;
  const isLive = world.dialect === 'terraform';
  const configuration = run && `cv-${idTail(run.id)}`;
  const outputs = state.outputs.map((output) => output.id);
  const path = `/api/v2/workspaces/${id}`;
  const bindings = includes.includes('effective_tag_bindings')
    ? bindingsInEffect(world.store, workspace)
    : undefined;
  // The live service omits these two if they are unset.
  const absent = isLive ? undefined : { data: null };
  return {
    'agent-pool': one('agent-pools', pool),
    'current-configuration-version': one('configuration-versions', configuration),
    'current-run': one('runs', run?.id ?? null),
    'latest-run': one('runs', run?.id ?? null),
    'current-state-version': one('state-versions', state.id),
    'current-assessment-result': { data: null },
    organization: one('organizations', organization),
    outputs: toMany('workspace-outputs', outputs),
    project: one('projects', project),
    readme: one('workspace-readme', readme === null ? null : `readme-${idTail(id)}`),
    'remote-state-consumers': linked(`${path}/relationships/remote-state-consumers`),
    'ssh-key': sshKey ? one('ssh-keys', sshKey) : absent,
    'locked-by': lock ? one(lock.by.type, lock.by.id) : absent,
    vars: { data: [] },
    'data-retention-policy': hasDataRetention(world)
      ? { data: retention && retentionIdentifier(retention) }
      : undefined,
    'effective-tag-bindings': isLive ? bindingsRelationship(path, bindings) : undefined,
  };
}

function one(type: string, id: string | null) {
  const links = id !== null && withLink.has(type) ? linked(`/api/v2/${type}/${id}`).links : undefined;
  return { ...toOne(type, id), links };
}

const withLink = new Set(words('agent-pools organizations projects ssh-keys runs users'));
