import { sharingSwitchOf } from '../../model/attributes.ts';
import { deletionSource, modeHints } from '../../model/deletion.ts';
import type { WorkspaceResource } from '../../model/state.ts';
import type { Value, Values } from '../../model/value.ts';
import type { Facts } from '../../plan/facts.ts';
import { readRetentionPolicy } from '../../relations/data-retention.ts';
import { readConsumerList } from '../../relations/relations.ts';
import type { ServiceReader } from '../../service/client.ts';
import { isNotFound } from '../../service/service-error.ts';
import { ChangedSincePlanError, deletionChanges, factsOf } from '../changed-since-plan.ts';
import { presentFacts } from '../present-facts.ts';
import { requireSafeDelete, sendDelete } from '../send-delete.ts';
import type { OperationHandler } from './operation.ts';

/**
 * Deletes a workspace after reading it again, even if the plan is recent: if what allowed the deletion has changed, it may
 * not be the workspace that was planned. A workspace that no longer exists counts as deleted.
 */
export const deleteWorkspace: OperationHandler = {
  async send({ call, change, id: workspace }, context) {
    const { send, reader, clock, dialect, notice, keep, retagged } = context;
    const words = modeHints[deletionSource(change.declared !== undefined, change.location)];
    const { mode = 'safe' } = call;
    // Nothing is read for a deletion that cannot be sent.
    if (mode === 'safe') requireSafeDelete(call, reader, words);
    const facts = comparable(factsOf(change), retagged);
    // The journal needs the key/value tags, too.
    const bindings = keep !== undefined && dialect === 'terraform';
    const present = await presentFacts(workspace, facts, { reader, dialect, bindings });
    if (present === undefined) {
      notice({
        severity: 'note',
        code: 'already-done',
        message: `"${change.name}" was deleted already`,
        address: change.address,
      });
      return undefined;
    }
    const changes = deletionChanges(facts, present.now);
    if (changes.length > 0) throw new ChangedSincePlanError(change.address, changes.join('; '));
    if (keep) await keep(await valuesToKeep(present.workspace, reader));
    return sendDelete(call, { workspace, mode, send, reader, clock, words });
  },
};

/** Without the inherited key/value tags if this run changes those of the project. */
function comparable(facts: Facts, retagged: ReadonlySet<string>): Facts {
  if (!retagged.has(String(facts.project))) return facts;
  const { 'inherited-tag-bindings': _inherited, ...others } = facts;
  return others;
}

/** All readable values of a workspace that is about to be deleted, so that an undo can create it again. */
async function valuesToKeep(
  { id = '', name, attributes }: WorkspaceResource,
  reader: ServiceReader,
): Promise<Values> {
  const kept: Record<string, Value> = { ...attributes, name };
  if (attributes['data-retention'] !== null) kept['data-retention'] = await readRetentionPolicy(reader, id);
  // While a switch shares the state, the service does not return the stored consumers.
  if (sharingSwitchOf(attributes) === undefined) {
    const consumers = await readConsumerList(reader, id).catch((error) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (consumers) kept['remote-state-consumers'] = consumers.map((consumer) => consumer.id).sort();
  }
  return kept;
}
