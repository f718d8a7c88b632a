import type { Call } from '../model/plan.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { createdWorkspace } from './lost-answer.ts';
import { nameConflict } from './name-conflict.ts';
import type { SendContext } from './prepared-call.ts';

/** Creates a workspace, once, and resolves with its document: what follows needs the id. */
export async function createWorkspace(
  call: Call,
  { client, dialect }: Pick<SendContext, 'client' | 'dialect'>,
): Promise<Document | undefined> {
  const lookUp = async () => {
    const document = await createdWorkspace(call, client);
    const found = asResourceObject(document?.data);
    const failure = found && nameConflict(call, found, dialect);
    return failure ? { failure } : document && { document };
  };
  try {
    const document = await client.send(call, { lookUp });
    // Success may come without a document.
    return asResourceObject(document?.data) ? document : await createdWorkspace(call, client);
  } catch (error) {
    throw isTaken(error) ? explained(error) : error;
  }
}

function isTaken(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    error.errors.some(({ detail }) => /already been taken/.test(detail ?? ''))
  );
}

function explained(error: ServiceError): ServiceError {
  const hint = 'it came about since the plan, or this token may not see it; plan again';
  return new ServiceError(error, error.status, error.errors, hint);
}
