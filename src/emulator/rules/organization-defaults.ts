import type { Store } from '../store/store.ts';
import type { ExecutionDefaults } from './execution.ts';

/** What the workspaces of an organization run with where they have no value of their own. */
export function executionDefaults(store: Store, organization: string): ExecutionDefaults {
  const record = store.get('organizations', organization);
  return {
    mode: record?.defaultExecutionMode ?? 'remote',
    agentPool: record?.defaultAgentPool ?? null,
  };
}
