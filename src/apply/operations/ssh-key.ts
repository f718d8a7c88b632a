import type { Call } from '../../model/plan.ts';
import type { Value } from '../../model/value.ts';
import { asResourceObject, type Document, relatedId } from '../../service/documents.ts';
import { compareValues, readAnswer } from './compare-answer.ts';
import { type OperationHandler, sendRepeatable } from './operation.ts';
import { readSettings } from './read-values.ts';
import { attributesOf } from './request-body.ts';

export const assignSshKey: OperationHandler = {
  writes: (call) => ({ values: { 'ssh-key': sentKey(call) } }),
  send: sendRepeatable,
  read: readSettings,
  verify({ call, change }, document) {
    const key = answeredKey(document);
    return key === undefined ? [] : compareValues(change.address, [['ssh-key', sentKey(call), key]]);
  },
  record: (_prepared, document) => readAnswer(() => ({ 'ssh-key': answeredKey(document) })),
};

function answeredKey({ data }: Document): string | null | undefined {
  const answered = asResourceObject(data);
  return answered && relatedId(answered, 'ssh-key');
}

function sentKey(call: Call): Value {
  return (attributesOf(call).id ?? null) as Value;
}
