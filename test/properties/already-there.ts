import type { Call, Plan } from '../../src/model/plan.ts';
import { isRecord } from '../../src/model/value.ts';
import { readConsumerList } from '../../src/relations/relations.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { asResourceObject, relatedId } from '../../src/service/documents.ts';

/**
 * What the calls of a plan write although the service has it already, read off the wire and not off the plan.
 * Left out are creates, and the values that go together: an execution mode with its pool and flags, the level of a grant,
 * the time of a destroy run beside a duration that is cleared, or the other way round, a destroy schedule with its flag, a consumer list that could not be read.
 */
export async function alreadyThere(plan: Plan, client: ServiceClient): Promise<string[]> {
  const found: string[] = [];
  for (const { calls, action, address } of plan.changes) {
    if (action !== 'update') continue;
    for (const call of calls) {
      for (const what of await repeated(call, client))
        found.push(`${address}: ${call.method} ${call.path}: ${what}`);
    }
  }
  return found;
}

async function repeated(call: Call, client: ServiceClient): Promise<string[]> {
  const [, collection, id = '', kind, relation] = call.path.split('/');
  const { data } = await client.get(`/${collection}/${id}`);
  const live = asResourceObject(data);
  if (live === undefined) throw new Error(`${call.path} is about nothing`);
  const listed = isRecord(call.body) && Array.isArray(call.body.data) ? call.body.data : [];
  switch (relation) {
    case undefined:
      return repeatedValues(sentAttributes(call), live.attributes);
    case 'lock':
    case 'unlock':
      return live.attributes.locked === (relation === 'lock') ? ['the lock'] : [];
    case 'ssh-key': {
      const key = sentAttributes(call).id ?? null;
      return key === (relatedId(live, 'ssh-key') ?? null) ? ['the key'] : [];
    }
    case 'tags': {
      const has = new Set(live.attributes['tag-names'] as string[]);
      return listed
        .map((tag) => String(tag.attributes.name))
        .filter((tag) => has.has(tag) === (call.method === 'POST'));
    }
    case 'remote-state-consumers': {
      if (live.attributes['global-remote-state'] === true) return [];
      if (live.attributes['project-remote-state'] === true) return [];
      const has = new Set((await readConsumerList(client, id)).map((consumer) => consumer.id));
      const sent = listed.map((consumer) => String(consumer.id));
      if (call.method !== 'PATCH') return sent.filter((one) => has.has(one) === (call.method === 'POST'));
      return sent.length === has.size && sent.every((one) => has.has(one)) ? ['the whole list'] : [];
    }
    case 'data-retention-policy': {
      const before = relatedId(live, 'data-retention-policy') ?? null;
      return call.method === 'DELETE' && before === null ? ['no policy'] : [];
    }
    default:
      throw new Error(`nothing is known of ${kind}/${relation}`);
  }
}

const together = new Set([
  'execution-mode',
  'agent-pool-id',
  'setting-overwrites.execution-mode',
  'setting-overwrites.agent-pool',
  'access',
  'inherits-project-auto-destroy',
]);

/** A live workspace shows the schedule that it inherits. */
const schedule = ['auto-destroy-at', 'auto-destroy-activity-duration'];

function repeatedValues(
  sent: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
): string[] {
  // A service does not return the permissions of a level, so a new `custom` names every permission.
  if (sent.access !== undefined && sent.access !== live.access) return [];
  const endsDuration = sent['auto-destroy-activity-duration'] === null;
  const inherits = live['inherits-project-auto-destroy'] === true;
  return flat(sent)
    .filter(([path]) => !(inherits && schedule.includes(path)))
    .filter(([path]) => !together.has(path) && !(path === 'auto-destroy-at' && endsDuration))
    .filter(
      ([path]) => !(path === 'auto-destroy-activity-duration' && Object.hasOwn(sent, 'auto-destroy-at')),
    )
    .filter(([path, value]) => {
      const [holder = '', key] = path.split('.');
      const mapping = live[holder];
      // A repository that is not there yet has none of its values.
      if (key !== undefined && !isRecord(mapping)) return false;
      return same(value, key === undefined ? mapping : (mapping as Record<string, unknown>)[key]);
    })
    .map(([path]) => path);
}

function flat(attributes: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(attributes).flatMap(([name, value]): [string, unknown][] =>
    isRecord(value)
      ? Object.entries(value).map(([key, inner]) => [`${name}.${key}`, inner])
      : [[name, value]],
  );
}

function same(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(
      Array.isArray(value) ? [...value].sort() : value === '' || value === undefined ? null : value,
    );
  return text(a) === text(b);
}

function sentAttributes({ body }: Call): Readonly<Record<string, unknown>> {
  const data = isRecord(body) ? body.data : undefined;
  return isRecord(data) && isRecord(data.attributes) ? data.attributes : {};
}
