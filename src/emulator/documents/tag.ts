import type { TagRecord } from '../store/records.ts';
import type { World } from '../world.ts';

/** A tag with the number of workspaces that carry it (interface, section 2.3). */
export function tagJson(world: World, tag: TagRecord): string {
  return JSON.stringify({
    id: tag.id,
    type: 'tags',
    attributes: {
      name: tag.name,
      'created-at': tag.createdAt,
      'instance-count': world.store.workspaces.tagged(tag.organization, tag.name).size,
    },
    relationships: { organization: { data: { id: tag.organization, type: 'organizations' } } },
  });
}
