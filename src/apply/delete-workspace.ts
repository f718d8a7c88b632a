import { workspaceFromDocument } from '../live/workspace-document.ts';
import { sameValue } from '../model/value.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import { getIfThere } from './lost-answer.ts';
import { MovedOnError } from './moved-on-error.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';
import { sendDelete } from './send-delete.ts';

const words = { force: 'write `delete: force`', safe: 'write `delete: safe`' };

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
  const document = await getIfThere(call.path.replace(/\/actions\/safe-delete$/, ''), client);
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
  return sendDelete(call, { client, clock, words });
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
