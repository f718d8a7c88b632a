import { callTo } from '../../plan/operation-endpoints.ts';
import { isMissingEndpoint } from '../../service/capabilities.ts';
import { ServiceError } from '../../service/service-error.ts';
import { JointRefusal } from '../joint-request.ts';
import type { OperationHandler } from './operation.ts';
import { readSettings } from './read-values.ts';
import { updateWorkspace } from './update-workspace.ts';

/**
 * Moves a workspace together with others to the same project. The service moves all of them or none: after a refusal
 * each is moved by its own update, so that those that may be moved are.
 */
export const moveWorkspaces: OperationHandler = {
  ...(updateWorkspace.recheck && { recheck: updateWorkspace.recheck }),
  read: readSettings,
  async send(prepared, context) {
    const { call, written, id: workspace } = prepared;
    const { send, joint, dialect } = context;
    if (joint === undefined) {
      const own = callTo('updateWorkspace', { workspace }, written, dialect);
      return updateWorkspace.send({ ...prepared, call: own }, context);
    }
    try {
      return await send(call, { repeatable: true, joint });
    } catch (error) {
      throw isRefusal(error) ? new JointRefusal(error.message, { cause: error }) : error;
    }
  },
};

/** With 401 the service refuses every request. Older services lack the endpoint. */
function isRefusal(error: unknown): error is ServiceError {
  if (isMissingEndpoint(error)) return true;
  return error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 401;
}
