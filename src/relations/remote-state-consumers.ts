import { sharingSwitchOf } from '../model/attributes.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { consumersOf, readList } from '../service/paging.ts';
import type { Relation } from './relation.ts';

/** The workspaces that may read the state, by id (interface, section 4.5). */
export const remoteStateConsumers = {
  separate: {
    noun: 'consumers',
    policyFields: ['consumers', 'readers', 'consumerProjects', 'consumerProjectIds'],
    // While a switch shares the state, the service lists other workspaces instead of the stored consumers.
    isNeeded: (attributes) => sharingSwitchOf(attributes) === undefined,
    async read(reader, workspace) {
      const list = await whereOffered(reader, 'remote-state-consumers', () =>
        readConsumerList(reader, workspace),
      );
      return list && { value: list.map(({ id }) => id).sort(), names: list.flatMap(nameOf) };
    },
  },
  restored(ids, nowCalled) {
    const names = Array.isArray(ids) ? ids.flatMap((id) => nowCalled(String(id)) ?? []) : [];
    return names.length > 0 ? { exactly: names } : undefined;
  },
} as const satisfies Relation;

export function readConsumerList(reader: ServiceReader, id: string): Promise<ResourceObject[]> {
  return readList(reader, consumersOf(id));
}

/** Some services return bare identifiers without names. */
function nameOf({ id, attributes: { name } }: ResourceObject): [id: string, name: string][] {
  return typeof name === 'string' ? [[id, name]] : [];
}
