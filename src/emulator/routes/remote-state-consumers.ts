import { sharingSwitchOf } from '../../model/attributes.ts';
import { managesWorkspaces, workspaceAccess } from '../callers.ts';
import { pageOf } from '../documents/pages.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { readResourceList } from '../rules/request-document.ts';
import type { StoredWorkspace } from '../store/records.ts';
import { findRequestedWorkspace, onWorkspace, saveWorkspace } from './find-requested.ts';

/** GET: full documents of the consumers that the caller can read (interface, section 4.5) */
function getConsumers(request: ServiceRequest): Answer {
  const { world, caller } = request;
  const workspace = findRequestedWorkspace(request, 'read');
  const readable = consumersOf(request, workspace).filter(
    (consumer) => workspaceAccess(caller, consumer) !== 'none',
  );
  return pageOf(request, readable, (consumer) => shownWorkspace(world, consumer, caller));
}

/** POST: adds consumers; existing ones are ignored. */
function postConsumers(request: ServiceRequest): Answer {
  const workspace = findRequestedWorkspace(request, 'admin');
  const known = new Set(storedConsumers(request, workspace));
  for (const id of readIds(request, workspace)) known.add(id);
  return store(request, workspace, [...known]);
}

/** PATCH: replaces the list; requires the permission to manage all workspaces of the organization. */
function patchConsumers(request: ServiceRequest): Answer {
  const workspace = findRequestedWorkspace(request, 'admin');
  if (!managesWorkspaces(request.caller, workspace.organization)) throw notFound();
  return store(request, workspace, readIds(request, workspace));
}

/** DELETE: removes consumers; missing ones are ignored. */
function deleteConsumers(request: ServiceRequest): Answer {
  const workspace = findRequestedWorkspace(request, 'admin');
  const removed = new Set(readIds(request, workspace));
  const left = storedConsumers(request, workspace).filter((id) => !removed.has(id));
  return store(request, workspace, left);
}

/** With a switch every other workspace of the organization or project reads the state; without one, the stored list applies. */
function consumersOf(request: ServiceRequest, workspace: StoredWorkspace): StoredWorkspace[] {
  const { store: stored } = request.world;
  const configuredOnly = request.query.get('show_only_configured') === 'true';
  const shared = sharingSwitchOf(workspace.attributes);
  if (shared && !configuredOnly) {
    return stored.workspaces
      .all(workspace.organization)
      .filter(({ id }) => id !== workspace.id)
      .filter(({ project }) => shared === 'global-remote-state' || project === workspace.project);
  }
  return workspace.consumers.flatMap((id) => stored.get('workspaces', id) ?? []);
}

/** Without consumers that were deleted in the meantime. */
function storedConsumers(request: ServiceRequest, workspace: StoredWorkspace): readonly string[] {
  return workspace.consumers.filter((id) => request.world.store.get('workspaces', id));
}

/** The ids in the body, by the rules of section 4.5. */
function readIds(request: ServiceRequest, workspace: StoredWorkspace): readonly string[] {
  const shared = sharingSwitchOf(workspace.attributes);
  if (shared) refuseInvalid([invalid('/data', `Consumers can be set only where ${shared} is false`)]);
  const errors: ErrorObject[] = [];
  const ids = new Set<string>();
  for (const [index, { type, id }] of readResourceList(request.body).entries()) {
    const pointer = `/data/${index}`;
    if (type !== 'workspaces') errors.push(invalid(`${pointer}/type`, 'must be workspaces'));
    else if (typeof id !== 'string') errors.push(invalid(`${pointer}/id`, 'must be the id of a workspace'));
    else if (id === workspace.id)
      errors.push(invalid(`${pointer}/id`, 'A workspace cannot be its own consumer'));
    else if (!isReadable(request, workspace, id))
      errors.push(invalid(`${pointer}/id`, `Workspace ${id} does not exist or cannot be read`));
    else ids.add(id);
  }
  refuseInvalid(errors);
  return [...ids];
}

/** Whether the caller can read a workspace of the same organization by that id. */
function isReadable(
  { world, caller }: ServiceRequest,
  { organization }: StoredWorkspace,
  id: string,
): boolean {
  const consumer = world.store.get('workspaces', id);
  return consumer?.organization === organization && workspaceAccess(caller, consumer) !== 'none';
}

function store(request: ServiceRequest, workspace: StoredWorkspace, consumers: readonly string[]): Answer {
  saveWorkspace(request, { ...workspace, consumers });
  return noContent;
}

const consumersPath = '/relationships/remote-state-consumers';

export const consumerRoutes: readonly Route[] = [
  onWorkspace('GET', consumersPath, getConsumers),
  onWorkspace('POST', consumersPath, postConsumers),
  onWorkspace('PATCH', consumersPath, patchConsumers),
  onWorkspace('DELETE', consumersPath, deleteConsumers),
];
