import { isLocked } from '../../diff/normalize.ts';
import { readConsumerList, readRetentionPolicy } from '../../live/detail-reads.ts';
import { includingBindings } from '../../live/tag-bindings.ts';
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
 * Deletes a workspace after reading it again, even if the plan is recent: if its name, project or tags have changed, it
 * may not be the workspace that was planned. A workspace that no longer exists counts as deleted.
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
  // A new lock shows that another user works on the workspace, and a force delete would ignore it.
  if (facts.lock !== undefined && !isLocked(facts.lock) && isLocked(attributes.lock)) {
    throw new ChangedSincePlanError(address, `it was locked${lockedHow(attributes.lock)}`);
  }
}

function lockedHow(lock: Value | undefined): string {
  const { by, reason } = isRecord(lock) ? lock : {};
  return [by ? ` by ${by}` : '', reason ? ` (${reason})` : ''].join('');
}

/** All readable values of a workspace that is about to be deleted, so that an undo can create it again. */
async function valuesToKeep(
  { id = '', name, attributes }: WorkspaceResource,
  reader: ServiceReader,
): Promise<Values> {
  const kept: Record<string, Value> = { ...attributes, name };
  if (attributes['data-retention'] !== null) kept['data-retention'] = await readRetentionPolicy(reader, id);
  // While the state is shared with all, the service does not return the stored consumers.
  if (attributes['global-remote-state'] !== true) {
    const consumers = await readConsumerList(reader, id).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (consumers) kept['remote-state-consumers'] = consumers.map((consumer) => consumer.id).sort();
  }
  return kept;
}
