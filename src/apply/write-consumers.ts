import { listDifference } from '../diff/list-rule.ts';
import { readConsumerList } from '../live/workspace-details.ts';
import type { Call } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Document } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { isFresh } from './look-again.ts';
import { MovedOnError } from './moved-on-error.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';

/**
 * Writes a consumer list. Replacing it needs the right to manage all workspaces of the organization (interface,
 * section 4.5); where the token has it not, the same change is made with POST and DELETE.
 */
export async function writeConsumers(
  { call, change }: PreparedCall,
  context: SendContext,
): Promise<Document | undefined> {
  const { client, notice } = context;
  if (call.method !== 'PATCH') return client.send(call, { repeatable: true });

  const workspace = call.path.split('/')[2] ?? '';
  const stored = change.facts?.['remote-state-consumers'];
  const planned = Array.isArray(stored) ? stored.map(String) : change.action === 'create' ? [] : undefined;
  // What could not be read for the plan has nothing to be compared with now.
  const isCertain = planned === undefined || change.action === 'create' || isFresh(context);
  const before = isCertain ? planned : await readIds(workspace, context);
  if (planned && before && !sameSet(planned, before)) {
    throw new MovedOnError(change.address, `its consumers ${describe(planned, before)}`);
  }

  if (context.rights.replaceConsumers) {
    try {
      return await client.send(call, { repeatable: true });
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.status !== 403 && error.status !== 404)) throw error;
    }
  }
  const { add, remove } = listDifference(before ?? (await readIds(workspace, context)), idsOf(call));
  if (add.length > 0) await client.send(withIds(call, 'POST', add), { repeatable: true });
  if (remove.length > 0) await client.send(withIds(call, 'DELETE', remove), { repeatable: true });
  // Only now it is known that the refusal was of the way and not of the workspace.
  if (context.rights.replaceConsumers) {
    context.rights.replaceConsumers = false;
    notice({
      severity: 'note',
      code: 'consumers-one-by-one',
      message:
        'this token may not replace consumer lists; the same changes are made by adding and removing consumers',
    });
  }
  return undefined;
}

async function readIds(workspace: string, { client }: SendContext): Promise<string[]> {
  return (await readConsumerList(client, workspace)).map((consumer) => consumer.id);
}

function idsOf({ body }: Call): string[] {
  const data = isRecord(body) ? body.data : undefined;
  return Array.isArray(data) ? data.flatMap((item) => (isRecord(item) ? [String(item.id)] : [])) : [];
}

function withIds(call: Call, method: 'POST' | 'DELETE', ids: readonly string[]): Call {
  const data: Value = ids.map((id) => ({ type: 'workspaces', id }));
  return { method, path: call.path, body: { data } };
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const { add, remove } = listDifference(a, b);
  return add.length + remove.length === 0;
}

function describe(planned: readonly string[], now: readonly string[]): string {
  const { add, remove } = listDifference(planned, now);
  return `changed meanwhile (${[...add.map((id) => `+${id}`), ...remove.map((id) => `-${id}`)].join(' ')})`;
}
