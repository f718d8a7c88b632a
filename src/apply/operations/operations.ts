import { AttuneError } from '../../model/attune-error.ts';
import { type Diagnostic, warning } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Operation } from '../../model/plan.ts';
import { asResourceObject, type Document } from '../../service/documents.ts';
import { dialectOf } from '../../service/wire-codec.ts';
import { lockOperations } from './change-lock.ts';
import { consumerOperations } from './consumers.ts';
import { creationOperations } from './create-workspace.ts';
import { deleteWorkspace } from './delete-workspace.ts';
import { grantOperations } from './grants.ts';
import type { OperationHandler, PreparedCall, SendContext } from './operation.ts';
import { projectOperations } from './projects.ts';
import { tagOperations } from './tags.ts';
import { settingOperations } from './workspace-settings.ts';

export const operationHandlers: Readonly<Record<Operation, OperationHandler>> = {
  ...projectOperations,
  ...creationOperations,
  ...settingOperations,
  ...tagOperations,
  ...consumerOperations,
  ...lockOperations,
  ...grantOperations,
  deleteWorkspace,
};

export async function sendCall(prepared: PreparedCall, context: SendContext): Promise<Document | undefined> {
  const { recheck, send } = operationHandlers[prepared.call.operation];
  await recheck?.(prepared, context);
  return send(prepared, context);
}

/** The dialect in which an answer shows values: another one than the plan's if that was declared or assumed wrongly. */
export function dialectOfAnswer({ data }: Document, dialect: Dialect): Dialect {
  const answered = asResourceObject(data);
  return (answered && dialectOf(answered)) ?? dialect;
}

/** Compares an answer with what was sent. An answer that cannot be compared is reported, but is not a failure. */
export function verifyAnswer(
  prepared: PreparedCall,
  document: Document | undefined,
  dialect: Dialect,
): Diagnostic[] {
  const { call, change } = prepared;
  if (document === undefined) return [];
  try {
    const answered = dialectOfAnswer(document, dialect);
    const found = operationHandlers[call.operation].verify?.(prepared, document, answered) ?? [];
    if (answered === dialect) return found;
    return found.map((one) => ({ ...one, hint: `set service.dialect to \`${answered}\`` }));
  } catch (error) {
    if (!(error instanceof AttuneError)) throw error;
    return [
      warning(
        'not-compared',
        `${call.method} ${call.path} took effect, but its response could not be compared with the request: ${error.message}`,
        { at: { address: change.address } },
      ),
    ];
  }
}
