import { inheritsSchedule } from '../rules/destroy-schedule.ts';
import { effectivePool, executionDefaults } from '../rules/execution.ts';
import type { StoredRun, StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';
import { type AnsweredIdentifier, retentionType } from './answered-resource.ts';

/** The read-only attributes of a workspace (interface, section 2.1). */
export function readOnlyAttributes(world: World, workspace: StoredWorkspace): Record<string, unknown> {
  const { attributes, state, lock } = workspace;
  return {
    actions: { 'is-destroyable': true },
    'auto-destroy-status': null,
    'inherits-project-auto-destroy': inheritsSchedule(workspace),
    'created-at': workspace.createdAt,
    'updated-at': workspace.updatedAt,
    'latest-change-at': latestChangeAt(workspace),
    'last-assessment-result-at': null,
    environment: 'default',
    locked: lock !== null,
    'locked-reason': lock ? lock.reason : null,
    'oauth-client-name': connectionOf(world, workspace)?.name ?? null,
    'apply-duration-average': 0,
    'plan-duration-average': 0,
    'policy-check-failures': null,
    'run-failures': null,
    'workspace-kpis-runs-count': null,
    'resource-count': state.resourceCount,
    source: world.dialect === 'terraform' ? 'tfe-api' : 'api',
    'structured-run-output-enabled': workspace.structuredRunOutput ?? true,
    'tag-names': workspace.tags,
    'vcs-repo-identifier': attributes['vcs-repo.identifier'],
  };
}

/** The creation time of its latest state version, or of the workspace itself if it has none. */
export function latestChangeAt(workspace: StoredWorkspace): string {
  return workspace.state.createdAt ?? workspace.createdAt;
}

/** The keys of `vcs-repo` that only responses have (interface, section 2.2). */
export function repositoryDetails(world: World, workspace: StoredWorkspace): Record<string, unknown> {
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

/** The relationships of a workspace (interface, section 2.1). */
export function workspaceRelationships(
  world: World,
  workspace: StoredWorkspace,
  withRetention: boolean,
): Record<string, unknown> {
  const { id, organization, run, state, sshKey, lock, retention } = workspace;
  const path = `/api/v2/workspaces/${id}`;
  const pool = effectivePool(
    workspace.attributes,
    executionDefaults(world.store, organization, world.store.get('projects', workspace.project)),
  );
  // The live service omits these two if they are unset.
  const absent = world.dialect === 'terraform' ? undefined : one(null);
  return {
    'agent-pool': one(pool && { id: pool, type: 'agent-pools' }),
    'current-configuration-version': one(
      run && { id: runRelatedIds(run).configurationVersion, type: 'configuration-versions' },
    ),
    'current-run': one(run && { id: run.id, type: 'runs' }),
    'latest-run': one(run && { id: run.id, type: 'runs' }),
    'current-state-version': one(state.id ? { id: state.id, type: 'state-versions' } : null),
    'current-assessment-result': one(null),
    organization: one({ id: organization, type: 'organizations' }),
    outputs: { data: state.outputs.map((output) => ({ id: output.id, type: 'workspace-outputs' })) },
    project: one({ id: workspace.project, type: 'projects' }),
    readme: one(workspace.readme === null ? null : { id: readmeId(id), type: 'workspace-readme' }),
    'remote-state-consumers': { links: { related: `${path}/relationships/remote-state-consumers` } },
    'ssh-key': sshKey ? one({ id: sshKey, type: 'ssh-keys' }) : absent,
    'locked-by': lock ? one(lock.by) : absent,
    vars: { data: [] },
    ...(withRetention && {
      'data-retention-policy': one(retention && { id: retention.id, type: retentionType(retention) }),
    }),
  };
}

function one(data: AnsweredIdentifier | null | '') {
  return data ? { data, ...relatedLink(data) } : { data: null };
}

const linked: ReadonlySet<string> = new Set([
  'agent-pools',
  'organizations',
  'projects',
  'ssh-keys',
  'runs',
  'users',
]);

function relatedLink({ id, type }: AnsweredIdentifier) {
  return linked.has(type) ? { links: { related: `/api/v2/${type}/${id}` } } : {};
}

export function readmeId(workspace: string): string {
  return `readme-${idTail(workspace)}`;
}

/** The ids of objects that belong to a run; they have the same suffix as the run's id. */
export function runRelatedIds(run: StoredRun) {
  const tail = idTail(run.id);
  return { configurationVersion: `cv-${tail}`, plan: `plan-${tail}`, ingressAttributes: `ia-${tail}` };
}

function idTail(id: string): string {
  return id.slice(id.indexOf('-') + 1);
}
