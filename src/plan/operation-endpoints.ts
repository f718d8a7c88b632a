import type { Dialect } from '../model/dialect.ts';
import type { Call, Operation, Written } from '../model/plan.ts';
import type { Declared, DeleteMode } from '../model/state.ts';
import { bodyOf } from '../service/call-codec.ts';
import { type PathParameters, requestTo, type WriteEndpoint } from '../service/endpoints.ts';

export const operationEndpoints = {
  createProject: 'createProject',
  updateProject: 'updateProject',
  upsertProjectBindings: 'upsertProjectBindings',
  recoverWorkspace: 'recoverItem',
  createWorkspace: 'createWorkspace',
  unlockWorkspace: 'unlockWorkspace',
  forceUnlockWorkspace: 'forceUnlockWorkspace',
  moveWorkspaces: 'moveWorkspaces',
  updateWorkspace: 'updateWorkspace',
  upsertBindings: 'upsertBindings',
  addTags: 'addTags',
  removeTags: 'removeTags',
  replaceConsumers: 'replaceConsumers',
  addConsumers: 'addConsumers',
  removeConsumers: 'removeConsumers',
  assignSshKey: 'assignSshKey',
  setRetention: 'setRetention',
  removeRetention: 'removeRetention',
  createGrant: 'createTeamProject',
  updateGrant: 'updateTeamProject',
  deleteGrant: 'deleteTeamProject',
  lockWorkspace: 'lockWorkspace',
  deleteProject: 'deleteProject',
} as const satisfies Record<Exclude<Operation, 'deleteWorkspace'>, WriteEndpoint>;

const deleteEndpoints = {
  safe: 'safeDeleteWorkspace',
  force: 'forceDeleteWorkspace',
} as const satisfies Record<DeleteMode, WriteEndpoint>;

export function endpointOf({ operation, mode = 'safe' }: Pick<Call, 'operation' | 'mode'>) {
  return operation === 'deleteWorkspace' ? deleteEndpoints[mode] : operationEndpoints[operation];
}

/** A call of a plan. {@link deletionOf} makes the one that deletes a workspace. */
export function callTo<Name extends keyof typeof operationEndpoints>(
  operation: Name,
  parameters: PathParameters<(typeof operationEndpoints)[Name]>,
  ...[written, dialect]: [] | [written: Written, dialect: Dialect]
): Call {
  const { id }: { readonly id?: string } = parameters;
  const body = written && dialect && bodyOf(operation, written, { dialect, id });
  return { operation, ...requestTo(operationEndpoints[operation], parameters, body) };
}

export function recoveryOf({ item, workspace }: NonNullable<Declared['recovers']>): Call {
  return { operation: 'recoverWorkspace', ...requestTo('recoverItem', { id: item }), recovers: workspace };
}

/** The call that moves one workspace. Those with the same path are sent as one request. */
export function moveOf(workspace: string, project: string, dialect: Dialect): Call {
  const body = bodyOf('moveWorkspaces', { values: {} }, { dialect, id: workspace });
  return { operation: 'moveWorkspaces', ...requestTo('moveWorkspaces', { id: project }, body) };
}

export function deletionOf(workspace: string, mode: DeleteMode): Call {
  return { operation: 'deleteWorkspace', ...requestTo(deleteEndpoints[mode], { workspace }), mode };
}
