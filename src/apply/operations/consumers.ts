import { note } from '../../model/diagnostic.ts';
import { listDifference } from '../../model/list-rule.ts';
import { signedEntries } from '../../model/text.ts';
import { callTo } from '../../plan/operation-endpoints.ts';
import { readConsumerIds } from '../../relations/relations.ts';
import { ServiceError } from '../../service/service-error.ts';
import { ChangedSincePlanError } from '../changed-since-plan.ts';
import { readConsumers } from '../present-values.ts';
import { answeredList, wholeList } from './compare-answer.ts';
import {
  isFresh,
  type OperationHandler,
  type PreparedCall,
  type SendContext,
  sendRepeatable,
} from './operation.ts';

const path = 'remote-state-consumers';

const answered = answeredList(
  path,
  ({ written }) => written.consumers,
  (document) => wholeList(document)?.map(({ id }) => id),
);

const changeConsumers: OperationHandler = {
  ...answered,
  send: sendRepeatable,
  read: readConsumers,
};

/**
 * Replacing a consumer list needs the right to manage all workspaces of the organization (interface, section 4.5). If
 * the token lacks it, the same change is made with POST and DELETE.
 */
const replaceConsumers: OperationHandler = {
  ...answered,
  read: readConsumers,
  async send(prepared, context) {
    const before = await checkedList(prepared, context);
    if (context.rights.replaceConsumers) {
      try {
        return await sendRepeatable(prepared, context);
      } catch (error) {
        if (!(error instanceof ServiceError) || (error.status !== 403 && error.status !== 404)) throw error;
      }
    }
    await replaceOneByOne(prepared, context, before ?? (await readConsumerIds(context.reader, prepared.id)));
    // The calls above succeeded, so the service refused only the replacement and not the change.
    if (context.rights.replaceConsumers) {
      context.rights.replaceConsumers = false;
      context.notice(
        note(
          'consumers-one-by-one',
          'this token may not replace consumer lists; consumers are added and removed one by one instead',
        ),
      );
    }
    return undefined;
  },
};

export const consumerOperations = {
  replaceConsumers,
  addConsumers: changeConsumers,
  removeConsumers: changeConsumers,
};

/** `undefined` if the plan could not read it, so that there is nothing to compare. */
async function checkedList(
  prepared: PreparedCall,
  context: SendContext,
): Promise<readonly string[] | undefined> {
  const { change } = prepared;
  const stored = change.facts?.[path];
  const planned = Array.isArray(stored) ? stored.map(String) : change.action === 'create' ? [] : undefined;
  if (planned === undefined || change.action === 'create' || isFresh(context)) return planned;
  const now = await readConsumerIds(context.reader, prepared.id);
  const { add, remove } = listDifference(planned, now);
  if (add.length + remove.length === 0) return now;
  const difference = signedEntries(add, remove).join(' ');
  throw new ChangedSincePlanError(change.address, `its consumers changed meanwhile (${difference})`);
}

async function replaceOneByOne(
  { written: { consumers }, id: workspace }: PreparedCall,
  { send, dialect }: SendContext,
  before: readonly string[],
): Promise<void> {
  const wanted = consumers && 'exactly' in consumers ? consumers.exactly : before;
  const { add, remove } = listDifference(before, wanted);
  if (add.length > 0) {
    const written = { values: {}, consumers: { add, remove: [] } };
    await send(callTo('addConsumers', { workspace }, written, dialect), { repeatable: true });
  }
  if (remove.length > 0) {
    const written = { values: {}, consumers: { add: [], remove } };
    await send(callTo('removeConsumers', { workspace }, written, dialect), { repeatable: true });
  }
}
