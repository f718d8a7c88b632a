import { effectivePool, executionDefaults } from '../rules/execution.ts';
import type { StoredRun, StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';
import type { AnsweredIdentifier } from './resource.ts';
import { retentionType } from './retention.ts';

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
