import { workspaceFromDocument } from '../live/workspace-document.ts';
import { sameValue } from '../model/value.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { getIfThere, isGone } from './lost-answer.ts';
import { MovedOnError } from './moved-on-error.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';

/** Waits between tries while the service still works on the workspace's newest state, in milliseconds. */
const processingWaits = [2000, 4000, 8000, 16_000, 30_000, 30_000];

/**
 * Deletes a workspace, after one more look at it: what has another name, project or tags by now is not what the plan
 * meant. Gone already is done.
 */
export async function deleteWorkspace(
  prepared: PreparedCall,
  context: SendContext,
): Promise<Document | undefined> {
  const { call, change } = prepared;
  const { client, clock, notice } = context;
  const workspace = call.path.replace(/\/actions\/safe-delete$/, '');
  const document = await getIfThere(workspace, client);
  if (document === undefined) {
    notice({
      severity: 'note',
      code: 'already-done',
      message: `"${change.name}" was gone already when its turn came`,
      address: change.address,
    });
    return undefined;
  }
  checkUnmoved(prepared, document, context);

  const gone = async () => ((await isGone(workspace, client)) ? {} : undefined);
  for (const wait of [...processingWaits, undefined]) {
    try {
      return await client.send(call, { lookUp: gone });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.status === 404 && (await gone())) return undefined;
      if (wait === undefined || !isBeingProcessed(error)) throw explained(error);
      await clock.sleep(wait);
    }
  }
  return undefined;
}

function checkUnmoved({ change }: PreparedCall, document: Document, { dialect }: SendContext): void {
  const object = asResourceObject(document.data);
  if (object === undefined || change.facts === undefined) return;
  const live = workspaceFromDocument(object, dialect);
  const now = { name: live.name, project: live.attributes.project ?? null, tags: live.attributes.tags ?? [] };
  for (const [path, value] of Object.entries(now)) {
    const before = change.facts[path];
    if (before === undefined || sameValue(before, value)) continue;
    throw new MovedOnError(
      change.address,
      `its ${path} changed from ${JSON.stringify(before)} to ${JSON.stringify(value)}`,
    );
  }
}

function isBeingProcessed(error: ServiceError): boolean {
  return error.status === 409 && error.errors.some(({ detail }) => /being processed/i.test(detail ?? ''));
}

/** A conflict has several reasons that only its text tells apart. */
function explained(error: ServiceError): Error {
  const hint = hintFor(error);
  return hint === undefined ? error : new ServiceError(error, error.status, error.errors, hint);
}

function hintFor(error: ServiceError): string | undefined {
  if (error.status === 403 && error.method === 'DELETE')
    return 'only organization owners may force delete by default; write `delete: safe`';
  if (error.status !== 409) return undefined;
  if (isBeingProcessed(error))
    return 'the service is still at work on its newest state; run again in a few minutes';
  return error.errors.some(({ detail }) => /locked/i.test(detail ?? ''))
    ? 'unlock it first'
    : 'destroy its resources first, or write `delete: force` to delete it all the same';
}
