import { isLocked } from '../../diff/normalize.ts';
import { includingBindings } from '../../live/tag-bindings.ts';
import { readConsumerList, readRetentionPolicy } from '../../live/workspace-details.ts';
import { workspaceFromDocument } from '../../live/workspace-document.ts';
import { deletionSource, modeHints } from '../../model/deletion.ts';
import type { PlannedChange } from '../../model/plan.ts';
import type { WorkspaceResource } from '../../model/state.ts';
import { isRecord, sameValue, type Value, type Values } from '../../model/value.ts';
import type { ServiceReader } from '../../service/client.ts';
import { resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { isNotFound } from '../../service/service-error.ts';
import { ChangedSincePlanError } from '../changed-since-plan.ts';
import { readIfThere } from '../read-if-there.ts';
import { sendDelete } from '../send-delete.ts';
import type { OperationHandler } from './operation.ts';

/**
 * Deletes a workspace after it was read once more, however fresh the plan is: one that has another name, project or
 * tags by now is not the one that was planned. A workspace that is gone already is done.
 */
export const deleteWorkspace: OperationHandler = {
  writes: () => ({ values: {} }),
  async send({ call, change, id: workspace }, context) {
    const { send, reader, clock, dialect, notice, keep } = context;
    // Only the journal needs the key/value tags.
    const asking = keep && dialect === 'terraform' ? includingBindings(reader) : reader;
    const document = await readIfThere(pathTo('showWorkspace', { workspace }), asking);
    if (document === undefined) {
      notice({
        severity: 'note',
        code: 'already-done',
        message: `"${change.name}" was deleted already`,
        address: change.address,
      });
      return undefined;
    }
    const object = resourceOf(document);
    const live = object && workspaceFromDocument(object, dialect);
    if (live) checkUnchanged(change, live);
    if (live && keep) await keep(await valuesToKeep(live, reader));
    const words = modeHints[deletionSource(change.declared !== undefined, change.location)];
    return sendDelete(call, { workspace, mode: call.mode ?? 'safe', send, reader, clock, words });
  },
};

function checkUnchanged(
  { address, facts = {} }: PlannedChange,
  { name, attributes }: WorkspaceResource,
): void {
  const now = { name, project: attributes.project ?? null, tags: attributes.tags ?? [] };
  for (const [path, value] of Object.entries(now)) {
    const before = facts[path];
    if (before === undefined || sameValue(before, value)) continue;
    throw new ChangedSincePlanError(
      address,
      `its ${path} changed from ${JSON.stringify(before)} to ${JSON.stringify(value)}`,
    );
  }
  // A lock that is new shows that somebody works on it, and a force delete would not respect it.
  if (facts.lock !== undefined && !isLocked(facts.lock) && isLocked(attributes.lock)) {
    throw new ChangedSincePlanError(address, `it was locked${lockedHow(attributes.lock)}`);
  }
}

function lockedHow(lock: Value | undefined): string {
  const { by, reason } = isRecord(lock) ? lock : {};
  return [by ? ` by ${by}` : '', reason ? ` (${reason})` : ''].join('');
}

/** All that can be read of a workspace that is about to be deleted, so that an undo can create it again. */
async function valuesToKeep(
  { id = '', name, attributes }: WorkspaceResource,
  reader: ServiceReader,
): Promise<Values> {
  const kept: Record<string, Value> = { ...attributes, name };
  if (attributes['data-retention'] !== null) kept['data-retention'] = await readRetentionPolicy(reader, id);
  // While its state is shared with all, the service does not return the stored consumers.
  if (attributes['global-remote-state'] !== true) {
    const consumers = await readConsumerList(reader, id).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (consumers) kept['remote-state-consumers'] = consumers.map((consumer) => consumer.id).sort();
  }
  return kept;
}
