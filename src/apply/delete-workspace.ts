import { isLocked } from '../diff/normalize.ts';
import { workspaceFromDocument } from '../live/workspace-document.ts';
import type { PlannedChange } from '../model/plan.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { isRecord, sameValue, type Value } from '../model/value.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import { getIfThere } from './lost-answer.ts';
import { MovedOnError } from './moved-on-error.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';
import { sendDelete } from './send-delete.ts';
import { valuesToKeep } from './values-to-keep.ts';

/**
 * Deletes a workspace, after one more look at it: what has another name, project or tags by now is not what the plan
 * meant. Gone already is done.
 */
export async function deleteWorkspace(
  prepared: PreparedCall,
  context: SendContext,
): Promise<Document | undefined> {
  const { call, change } = prepared;
  const { client, clock, dialect, notice, keep } = context;
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
  const object = asResourceObject(document.data);
  const live = object && workspaceFromDocument(object, dialect);
  if (live) checkUnmoved(change, live);
  if (live && keep) await keep(await valuesToKeep(live, client));
  const words = {
    force: change.location
      ? 'write `delete: force`'
      : 'set prune.workspaces to `force` (in an undo: give --force)',
    safe: 'write `delete: safe`',
  };
  return sendDelete(call, { client, clock, words });
}

function checkUnmoved({ address, facts = {} }: PlannedChange, { name, attributes }: WorkspaceResource): void {
  const now = { name, project: attributes.project ?? null, tags: attributes.tags ?? [] };
  for (const [path, value] of Object.entries(now)) {
    const before = facts[path];
    if (before === undefined || sameValue(before, value)) continue;
    throw new MovedOnError(
      address,
      `its ${path} changed from ${JSON.stringify(before)} to ${JSON.stringify(value)}`,
    );
  }
  // Somebody locked it since: whoever holds it is at work on it, and a force delete would not ask.
  if (facts.lock !== undefined && !isLocked(facts.lock) && isLocked(attributes.lock)) {
    throw new MovedOnError(address, `it was locked meanwhile${lockedHow(attributes.lock)}`);
  }
}

function lockedHow(lock: Value | undefined): string {
  const { by, reason } = isRecord(lock) ? lock : {};
  const told = [by ? ` by ${by}` : '', reason ? ` (${reason})` : ''];
  return told.join('');
}
