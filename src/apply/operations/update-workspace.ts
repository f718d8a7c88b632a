import { workspaceAttributes } from '../../model/attribute-table.ts';
import { isAttributePath } from '../../model/attributes.ts';
import { callTo } from '../../plan/operation-endpoints.ts';
import { isMissingEndpoint } from '../../service/capabilities.ts';
import { asResourceObject, relatedId } from '../../service/documents.ts';
import { ServiceError } from '../../service/service-error.ts';
import { JointRefusal } from '../joint-request.ts';
import { readSettings } from '../present-values.ts';
import { answeredValue } from './compare-answer.ts';
import { type OperationHandler, pickFacts, recheckFacts, sendRepeatable } from './operation.ts';
import { workspaceSettings } from './workspace-settings.ts';

export const updateWorkspace: OperationHandler = {
  ...workspaceSettings,
  /** Rechecks a repository that is detached, lists that are replaced, and values that are sent only because another one is. */
  async recheck(prepared, context) {
    const { written, change } = prepared;
    const { values, bindings } = written;
    const differs = new Set(change.fields.map(({ path }) => path));
    const rechecked = Object.keys(values).filter((path) => !differs.has(path) || isList(path));
    await recheckFacts(prepared, context, {
      // A replacement would remove tags and list entries that other users added since the plan.
      facts: pickFacts(change.facts ?? {}, [...rechecked, 'vcs-repo', ...(bindings ? ['tag-bindings'] : [])]),
      read: () => readSettings(prepared, context),
    });
  },
  send: sendRepeatable,
  read: readSettings,
};

function isList(path: string): boolean {
  return isAttributePath(path) && workspaceAttributes[path].type === 'strings';
}

export const assignSshKey: OperationHandler = {
  ...answeredValue('ssh-key', ({ data }) => {
    const answered = asResourceObject(data);
    return answered && relatedId(answered, 'ssh-key');
  }),
  send: sendRepeatable,
  read: readSettings,
};

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
