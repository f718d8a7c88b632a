import type { RequestSender } from '../callers.ts';
import type { StoredRecoverableItem } from '../store/records.ts';
import type { World } from '../world.ts';
import { projectResource } from './named-resources.ts';
import { type AnsweredResource, toOne } from './resource.ts';
import { workspaceJson } from './workspace.ts';

/** A deleted workspace. */
export function recoverableItemResource(item: StoredRecoverableItem): AnsweredResource {
  const { id, name, workspace, deletedBy, deletedAt, expiresAt, permanentlyDeletedAt } = item;
  return {
    id,
    type: 'recoverable-items',
    attributes: {
      'recoverable-name': name,
      'deleted-at': deletedAt,
      'expires-at': expiresAt,
      'unmanaged-resources': workspace.state.resourceCount,
      'permanently-deleted-at': permanentlyDeletedAt,
    },
    relationships: {
      project: toOne('projects', workspace.project),
      recoverable: toOne('workspaces', workspace.id),
      'deleted-by': toOne('users', deletedBy),
    },
  };
}

/** The resources that `include` requests. */
export function* includedInItem(
  world: World,
  caller: RequestSender,
  item: StoredRecoverableItem,
  names: readonly string[],
): Generator<AnsweredResource> {
  const { workspace, deletedBy } = item;
  if (names.includes('recoverable')) yield JSON.parse(workspaceJson(world, workspace, caller));
  if (names.includes('deleted_by'))
    yield {
      id: deletedBy,
      type: 'users',
      attributes: { username: deletedBy.slice(deletedBy.indexOf('-') + 1) },
    };
  const project = world.store.get('projects', workspace.project);
  if (project && names.includes('project')) yield projectResource(world, project, caller);
}
