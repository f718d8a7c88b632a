import type { ProjectRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { ExecutionDefaults } from './execution.ts';

/** What the workspaces of a project run with where they have no value of their own: the project's, else the organization's. */
export function executionDefaults(
  store: Store,
  organization: string,
  project: ProjectRecord | undefined,
): ExecutionDefaults {
  if (project?.executionMode !== undefined) {
    return { mode: project.executionMode, agentPool: project.agentPool ?? null };
  }
  const record = store.get('organizations', organization);
  return {
    mode: record?.defaultExecutionMode ?? 'remote',
    agentPool: record?.defaultAgentPool ?? null,
  };
}
