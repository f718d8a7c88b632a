import { asResourceObject, type Document, relatedId } from '../../service/documents.ts';
import { compareValues, readAnswer } from './compare-answer.ts';
import { type OperationHandler, sendRepeatable } from './operation.ts';
import { readSettings } from './read-values.ts';

export const assignSshKey: OperationHandler = {
  send: sendRepeatable,
  read: readSettings,
  verify({ written, change }, document) {
    const key = answeredKey(document);
    return key === undefined
      ? []
      : compareValues(change.address, [['ssh-key', written.values['ssh-key'], key]]);
  },
  record: (_prepared, document) => readAnswer(() => ({ 'ssh-key': answeredKey(document) })),
};

function answeredKey({ data }: Document): string | null | undefined {
  const answered = asResourceObject(data);
  return answered && relatedId(answered, 'ssh-key');
}
