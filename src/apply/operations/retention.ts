import { readRetentionPolicy, retentionFromDocument } from '../../relations/data-retention.ts';
import { asResourceObject } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { isNotFound } from '../../service/service-error.ts';
import { isGone } from '../present-values.ts';
import { answeredValue } from './compare-answer.ts';
import {
  type OperationHandler,
  type PreparedCall,
  pickFacts,
  type ReadValues,
  recheckFacts,
  type SendContext,
  sendRepeatable,
} from './operation.ts';

const path = 'data-retention';

/** The service answers 404 for a workspace without an own policy, and for one that the token may not see. */
const readRetention: ReadValues = async ({ id }, { reader }) => {
  const policy = await readRetentionPolicy(reader, id);
  if (policy === null && (await isGone(pathTo('showWorkspace', { workspace: id }), reader))) return undefined;
  return { [path]: policy };
};

export const setRetention: OperationHandler = {
  ...answeredValue(path, (document, call) =>
    asResourceObject(document.data) ? retentionFromDocument(document, call.path) : undefined,
  ),
  recheck: recheckPolicy,
  send: sendRepeatable,
  read: readRetention,
};

export const removeRetention: OperationHandler = {
  recheck: recheckPolicy,
  read: readRetention,
  /** The service answers 404 for a policy that no longer exists, and for a workspace that the token may not change. */
  async send(prepared, context) {
    const { id: workspace } = prepared;
    const { reader } = context;
    try {
      return await sendRepeatable(prepared, context);
    } catch (error) {
      if (!isNotFound(error) || (await isGone(pathTo('showWorkspace', { workspace }), reader))) throw error;
      if ((await readRetentionPolicy(reader, workspace)) !== null) throw error;
      return undefined;
    }
  },
};

function recheckPolicy(prepared: PreparedCall, context: SendContext): Promise<void> {
  return recheckFacts(prepared, context, {
    facts: pickFacts(prepared.change.facts ?? {}, [path]),
    read: async () => ({ [path]: await readRetentionPolicy(context.reader, prepared.id) }),
  });
}
