import type { Call } from '../../model/plan.ts';
import type { Value } from '../../model/value.ts';
import { asResourceObject, relatedId } from '../../service/documents.ts';
import { compareValues } from './compare-answer.ts';
import { type OperationHandler, sendRepeatable } from './operation.ts';
import { readSettings } from './read-values.ts';
import { attributesOf } from './request-body.ts';

export const assignSshKey: OperationHandler = {
  writes: (call) => ({ values: { 'ssh-key': sentKey(call) } }),
  send: sendRepeatable,
  read: readSettings,
  verify({ call, change }, document) {
    const answered = asResourceObject(document.data);
    const key = answered && relatedId(answered, 'ssh-key');
    return key === undefined ? [] : compareValues(change.address, [['ssh-key', sentKey(call), key]]);
  },
};

function sentKey(call: Call): Value {
  return (attributesOf(call).id ?? null) as Value;
}
