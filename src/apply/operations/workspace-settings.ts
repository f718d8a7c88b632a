import { workspaceValues } from '../../live/from-document.ts';
import { workspaceAttributes } from '../../model/attribute-table.ts';
import { isAttributePath } from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Value, Values } from '../../model/value.ts';
import { callTo } from '../../plan/operation-endpoints.ts';
import { readRetentionPolicy, retentionFromDocument } from '../../relations/relations.ts';
import { isMissingEndpoint } from '../../service/capabilities.ts';
import { type ResourceObject, relatedId } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { isNotFound, ServiceError } from '../../service/service-error.ts';
import { isGone, readSettings } from '../present-values.ts';
import { JointRefusal } from '../run-tasks.ts';
import { answeredResource, answeredValue, type Pair } from './compare-answer.ts';
import {
  alreadyDone,
  type OperationHandler,
  type PreparedCall,
  pickFacts,
  type ReadValues,
  recheckFacts,
  type SendContext,
  sendRepeatable,
} from './operation.ts';

/** The service may normalize other values than the ones sent, so the journal records the answer. */
export const workspaceSettings = answeredResource(settingPairs, ({ written, change }, resource, dialect) => {
  const live = answeredSettings(resource, dialect);
  const facts = Object.keys(change.facts ?? {}).filter(isAttributePath);
  return [...Object.keys(written.values), ...facts].map((path) => [path, live[path]]);
});

/** An answer may omit any value, also the name. */
export function answeredSettings(resource: ResourceObject, dialect: Dialect): Values {
  const { name } = resource.attributes as Partial<Values>;
  return { ...workspaceValues(resource, dialect), ...(name !== undefined && { name }) };
}

function settingPairs(
  { written }: Pick<PreparedCall, 'written'>,
  answered: ResourceObject,
  dialect: Dialect,
): Pair[] {
  const shown: Partial<Values> = {
    ...answeredSettings(answered, dialect),
    'vcs-repo': answered.attributes['vcs-repo'] as Value | undefined,
    project: relatedId(answered, 'project'),
  };
  return Object.entries(written.values)
    .filter(([path]) => !isAttributePath(path) || workspaceAttributes[path].createOnly !== true)
    .map(([path, value]): Pair => [path, value, shown[path]]);
}

const retentionPath = 'data-retention';

/** The service answers 404 for a workspace without an own policy, and for one that the token may not see. */
const readRetention: ReadValues = async ({ id }, { reader }) => {
  const policy = await readRetentionPolicy(reader, id);
  if (policy === null && (await isGone(pathTo('showWorkspace', { workspace: id }), reader))) return undefined;
  return { [retentionPath]: policy };
};

const setRetention: OperationHandler = {
  ...answeredValue(retentionPath, (data, { path }) => retentionFromDocument({ data }, path)),
  recheck: recheckPolicy,
  send: sendRepeatable,
  read: readRetention,
};

const removeRetention: OperationHandler = {
  recheck: recheckPolicy,
  read: readRetention,
  /** The service answers 404 for a policy that no longer exists, and for a workspace that the token may not change. */
  async send(prepared, context) {
    const { id: workspace, change } = prepared;
    const { reader, notice } = context;
    try {
      return await sendRepeatable(prepared, context);
    } catch (error) {
      if (!isNotFound(error) || (await isGone(pathTo('showWorkspace', { workspace }), reader))) throw error;
      if ((await readRetentionPolicy(reader, workspace)) !== null) throw error;
      notice(alreadyDone(change, 'removed', 'the data retention of '));
      return undefined;
    }
  },
};

function recheckPolicy(prepared: PreparedCall, context: SendContext): Promise<void> {
  return recheckFacts(prepared, context, {
    facts: pickFacts(prepared.change.facts ?? {}, [retentionPath]),
    read: async () => ({ [retentionPath]: await readRetentionPolicy(context.reader, prepared.id) }),
  });
}

const updateWorkspace: OperationHandler = {
  ...workspaceSettings,
  /** Rechecks a repository that is detached, lists that are replaced, and values that are sent only because another one is. */
  async recheck(prepared, context) {
    const { written, change } = prepared;
    const { values, bindings } = written;
    const differs = new Set(change.fields.map(({ path }) => path));
    const isList = (path: string) => isAttributePath(path) && workspaceAttributes[path].type === 'strings';
    const rechecked = Object.keys(values).filter((path) => !differs.has(path) || isList(path));
    await recheckFacts(prepared, context, {
      // A replacement would remove tags and list entries that other users added since the plan.
      facts: pickFacts(change.facts ?? {}, [rechecked, 'vcs-repo', bindings ? 'tag-bindings' : []].flat()),
      read: () => readSettings(prepared, context),
    });
  },
  send: sendRepeatable,
  read: readSettings,
};

const assignSshKey: OperationHandler = {
  ...answeredValue('ssh-key', (answered) => relatedId(answered, 'ssh-key')),
  send: sendRepeatable,
  read: readSettings,
};

/**
 * Moves a workspace together with others to the same project. The service moves all of them or none: after a refusal
 * each is moved by its own update, so that those that may be moved are.
 */
const moveWorkspaces: OperationHandler = {
  recheck: updateWorkspace.recheck,
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

export const settingOperations = {
  updateWorkspace,
  assignSshKey,
  moveWorkspaces,
  setRetention,
  removeRetention,
};

/** With 401 the service refuses every request. Older services lack the endpoint. */
function isRefusal(error: unknown): error is ServiceError {
  if (isMissingEndpoint(error)) return true;
  return error instanceof ServiceError && error.status >= 400 && error.status < 500 && error.status !== 401;
}
