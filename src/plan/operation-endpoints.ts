import type { Dialect } from '../model/dialect.ts';
import type { Call, Operation, Written } from '../model/plan.ts';
import type { Declared, DeleteMode } from '../model/state.ts';
import { bodyOf } from '../service/call-codec.ts';
import { type PathParameters, requestTo, type WriteEndpoint } from '../service/endpoints.ts';

/** The operations that are always one request. Their endpoints have their names. */
export type DirectOperation = Extract<Operation, WriteEndpoint>;

const deleteEndpoints = {
  safe: 'safeDeleteWorkspace',
  force: 'forceDeleteWorkspace',
} as const satisfies Record<DeleteMode, WriteEndpoint>;

/** Another operation does not compile here until it has an endpoint. */
export function endpointOf(
  call: Pick<Call, 'operation' | 'mode'>,
): DirectOperation | (typeof deleteEndpoints)[DeleteMode] {
  const { operation, mode = 'safe' } = call;
  return operation === 'deleteWorkspace' ? deleteEndpoints[mode] : operation;
}

/** A call of a plan. {@link deletionOf} makes the one that deletes a workspace. */
export function callTo<Name extends DirectOperation>(
  operation: Name,
  parameters: PathParameters<Name>,
  ...[written, dialect]: [] | [written: Written, dialect: Dialect]
): Call {
  const { id }: { readonly id?: string } = parameters;
  const body = written && dialect && bodyOf(operation, written, { dialect, id });
  return { operation, ...requestTo(operation, parameters, body) };
}

export function recoveryOf({ item, workspace }: NonNullable<Declared['recovers']>): Call {
  return {
    operation: 'recoverWorkspace',
    ...requestTo('recoverWorkspace', { id: item }),
    recovers: workspace,
  };
}

/** The call that moves one workspace. Those with the same path are sent as one request. */
export function moveOf(workspace: string, project: string, dialect: Dialect): Call {
  const body = bodyOf('moveWorkspaces', { values: {} }, { dialect, id: workspace });
  return { operation: 'moveWorkspaces', ...requestTo('moveWorkspaces', { id: project }, body) };
}

export function deletionOf(workspace: string, mode: DeleteMode): Call {
  return { operation: 'deleteWorkspace', ...requestTo(deleteEndpoints[mode], { workspace }), mode };
}
