import { inheritsSchedule } from '../rules/schedule.ts';
import type { StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';

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
