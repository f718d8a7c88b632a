import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { consumersOf, readList } from '../service/paging.ts';
import type { Relation } from './relation.ts';

/** The workspaces that may read the state, by id (interface, section 4.5). */
export const remoteStateConsumers = {
  separate: {
    noun: 'consumers',
    policyFields: ['consumers', 'consumerProjects'],
    // While the state is shared with all, the service lists every workspace instead of the stored consumers.
    isNeeded: (attributes) => attributes['global-remote-state'] !== true,
    async read(reader, workspace) {
      const list = await whereOffered(reader, 'remote-state-consumers', () =>
        readConsumerList(reader, workspace),
      );
      return list && { value: list.map(({ id }) => id).sort(), names: list.flatMap(nameOf) };
    },
  },
} as const satisfies Relation;

export function readConsumerList(reader: ServiceReader, id: string): Promise<ResourceObject[]> {
  return readList(reader, consumersOf(id));
}

/** Some services return bare identifiers without names. */
function nameOf({ id, attributes: { name } }: ResourceObject): [id: string, name: string][] {
  return typeof name === 'string' ? [[id, name]] : [];
}
