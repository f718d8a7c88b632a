import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import { type NestedAttribute, wirePlaces } from '../../model/attributes.ts';
import { mayForceDelete, type RequestSender, workspaceAccess } from '../callers.ts';
import { effectiveMode, effectivePool, executionDefaults } from '../rules/execution.ts';
import { durationOf, inheritsSchedule } from '../rules/live-rules.ts';
import { hasOwnRepository } from '../rules/repository.ts';
import { bindingsInEffect } from '../rules/tag-rules.ts';
import type { StoredOrganization, StoredRun, StoredWorkspace } from '../store/records.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import {
  type AnsweredIdentifier,
  type AnsweredResource,
  bindingsRelationship,
  each,
  idTail,
  retentionIdentifier,
  words,
} from './resource.ts';

/**
 * A workspace (interface, section 2.1).
 *
 * @param includes the values of `include`, one of which adds to the document itself
 */
export function shownWorkspace(
  world: World,
  workspace: StoredWorkspace,
  caller: RequestSender,
  includes: readonly string[] = [],
): AnsweredResource {
  const { id, organization, name } = workspace;
  const isIncluded = includes.includes('effective_tag_bindings');
  return {
    id,
    type: 'workspaces',
    attributes: {
      ...writableAttributes(world, workspace),
      ...readOnlyAttributes(world, workspace),
      permissions: permissionsOf(caller, workspace, world.store.get('organizations', organization)),
    },
    relationships: {
      ...workspaceRelationships(world, workspace, hasDataRetention(world)),
      ...(world.dialect === 'terraform' && {
        'effective-tag-bindings': bindingsRelationship(
          `/api/v2/workspaces/${id}`,
          isIncluded ? bindingsInEffect(world.store, workspace) : undefined,
        ),
      }),
    },
    links: {
      self: `/api/v2/organizations/${organization}/workspaces/${name}`,
      'self-html': `/app/${organization}/workspaces/${name}`,
    },
  };
}

/** Every writable attribute; the organization's default where the workspace has no own value. */
function writableAttributes(world: World, workspace: StoredWorkspace): Record<string, unknown> {
  const own = workspace.attributes;
  const project = world.store.get('projects', workspace.project);
  const defaults = executionDefaults(world.store, workspace.organization, project);
  const inherits = world.dialect === 'terraform' && inheritsSchedule(workspace);
  const mode = effectiveMode(own, defaults);
  const shown: Partial<Record<AttributePath, unknown>> = {
    'execution-mode': mode,
    'agent-pool-id': effectivePool(own, defaults),
    operations: mode !== 'local',
    ...(inherits && { 'auto-destroy-activity-duration': durationOf(project) }),
  };
  const attributes: Record<string, unknown> = { name: workspace.name };
  const nested: Record<NestedAttribute, Record<string, unknown>> = {
    'vcs-repo': {},
    'setting-overwrites': {},
  };
  for (const { path, holder, name } of wirePlaces[world.dialect]) {
    if (workspaceAttributes[path].hostedOnly && !hasAssessments(world)) continue;
    // The live service accepts the id as an attribute and returns the pool as a relationship only.
    if (path === 'agent-pool-id' && world.dialect === 'terraform') continue;
    const target = holder === undefined ? attributes : nested[holder];
    target[name] = path in shown ? shown[path] : own[path];
  }
  Object.assign(attributes, nested);
  if (hasOwnRepository(own)) Object.assign(attributes['vcs-repo'] ?? {}, repositoryDetails(world, workspace));
  else attributes['vcs-repo'] = null;
  return attributes;
}

/** The permissions of a workspace by the least access that each requires, without `can-` (interface, section 2.1). */
const ofReaders = words(`
  read-run read-variable read-state-versions read-state-outputs read-settings read-assessment-results
`);
const ofAdmins = words(`
  update destroy queue-run update-variable create-state-versions queue-apply lock unlock force-unlock manage-tags
  manage-run-tasks manage-assessments manage-ephemeral-workspaces queue-destroy
`);

function permissionsOf(
  caller: RequestSender,
  workspace: StoredWorkspace,
  organization: StoredOrganization | undefined,
): Readonly<Record<string, boolean>> {
  return {
    ...each(ofReaders, true, 'can-'),
    ...each(ofAdmins, workspaceAccess(caller, workspace) === 'admin', 'can-'),
    'can-force-delete': mayForceDelete(caller, workspace, organization),
  };
}

/** The read-only attributes of a workspace (interface, section 2.1). */
function readOnlyAttributes(world: World, workspace: StoredWorkspace): Record<string, unknown> {
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
function repositoryDetails(world: World, workspace: StoredWorkspace): Record<string, unknown> {
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
function workspaceRelationships(
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
      'data-retention-policy': one(retention && retentionIdentifier(retention)),
    }),
  };
}

function one(data: AnsweredIdentifier | null | '') {
  return data ? { data, ...relatedLink(data) } : { data: null };
}

const withLink: ReadonlySet<string> = new Set([
  'agent-pools',
  'organizations',
  'projects',
  'ssh-keys',
  'runs',
  'users',
]);

function relatedLink({ id, type }: AnsweredIdentifier) {
  return withLink.has(type) ? { links: { related: `/api/v2/${type}/${id}` } } : {};
}

export function readmeId(workspace: string): string {
  return `readme-${idTail(workspace)}`;
}

/** The ids of objects that belong to a run; they have the same suffix as the run's id. */
export function runRelatedIds(run: StoredRun) {
  const tail = idTail(run.id);
  return { configurationVersion: `cv-${tail}`, plan: `plan-${tail}`, ingressAttributes: `ia-${tail}` };
}
