import type { Call } from '../model/plan.ts';
import { endpointOf, type WriteEndpoint } from '../service/endpoints.ts';

/**
 * What a call does, read off its method and path, so that a plan stays plain data. The order matters: what comes first
 * here is started first where nothing else decides.
 */
export const callKinds = [
  'create-workspace',
  'unlock',
  'update-workspace',
  'tags',
  'consumers',
  'ssh-key',
  'data-retention',
  'create-grant',
  'update-grant',
  'delete-grant',
  'lock',
  'delete-workspace',
] as const;
export type CallKind = (typeof callKinds)[number];

/** The endpoints that a plan of ours calls; a workspace is always told by its id. */
const kinds: Partial<Record<WriteEndpoint, CallKind>> = {
  createWorkspace: 'create-workspace',
  unlockWorkspace: 'unlock',
  updateWorkspace: 'update-workspace',
  addTags: 'tags',
  removeTags: 'tags',
  replaceConsumers: 'consumers',
  addConsumers: 'consumers',
  removeConsumers: 'consumers',
  assignSshKey: 'ssh-key',
  setRetention: 'data-retention',
  removeRetention: 'data-retention',
  createTeamProject: 'create-grant',
  updateTeamProject: 'update-grant',
  deleteTeamProject: 'delete-grant',
  lockWorkspace: 'lock',
  safeDeleteWorkspace: 'delete-workspace',
  forceDeleteWorkspace: 'delete-workspace',
};

/** `undefined` for a call that no plan of ours holds. */
export function callKind(call: Call): CallKind | undefined {
  const endpoint = endpointOf(call);
  return endpoint && kinds[endpoint];
}
