import type { Call } from '../model/plan.ts';
import type { ServiceClient } from '../service/client.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { createdWorkspace } from './lost-answer.ts';

/** Creates a workspace, once, and resolves with its document: what follows needs the id. */
export async function createWorkspace(call: Call, client: ServiceClient): Promise<Document | undefined> {
  const lookUp = () => createdWorkspace(call, client);
  try {
    const document = await client.send(call, { lookUp });
    // Success may come without a document.
    return asResourceObject(document?.data) ? document : (await lookUp())?.document;
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
