import type { Action } from '../model/change.ts';
import type { Call, Operation, PlannedChange, WriteRequest } from '../model/plan.ts';
import { isUncreatedProject, placeholderOf, type ResourceKind } from '../model/state.ts';
import { sameValue } from '../model/value.ts';
import { endpointOf, moveOf } from '../plan/operation-endpoints.ts';
import { writtenBy } from '../service/call-codec.ts';
import { isId } from '../service/documents.ts';
import { pathTo, requestTo } from '../service/endpoints.ts';

/**
 * Why a call does not belong to its change: its action, object or organization differs, or its path is not the one that
 * Attune builds. Any user who can write to a journal can change the calls in it.
 */
export function callMisfit(
  call: Call,
  owner: Pick<PlannedChange, 'address' | 'kind' | 'action' | 'id'>,
  organization: string,
): string | undefined {
  if (!applyingKinds[owner.kind].operations[owner.action].includes(call.operation)) {
    const article = owner.action === 'update' ? 'an' : 'a';
    return `${call.method} ${call.path} does not belong to a change that is ${article} ${owner.action}`;
  }
  const { id = placeholderOf(owner.address) } = owner;
  if (owner.id !== undefined && !isId(owner.id)) return `${owner.id} is not an id`;
  return isRequestOf(call, { id, organization })
    ? undefined
    : `${call.method} ${call.path} goes to another object`;
}

interface CallTarget {
  readonly id: string;
  readonly organization: string;
}

/** Whether the method and the path of a call are those of its operation; for a move, its workspace, too. */
export function isRequestOf(call: Call, target: CallTarget): boolean {
  const { method, path, body } = requestOf(call, target);
  return call.method === method && call.path === path && (body === undefined || sameValue(call.body, body));
}

function requestOf(call: Call, { id, organization }: CallTarget): WriteRequest {
  if (call.operation === 'recoverWorkspace') return requestTo('recoverWorkspace', { id: itemOf(call) });
  if (call.operation === 'moveWorkspaces') return moveOf(id, destinationOf(call), 'terraform');
  return requestTo(endpointOf(call), { organization, workspace: id, id });
}

/** The item that a recovery recovers: only the service knows whether it is that of the workspace. */
function itemOf({ path }: Call): string {
  const [, item = 'no-item'] = /^\/recoverable-items\/([\w-]+)\//.exec(path) ?? [];
  return item;
}

/** The project of a move: each call has its own. */
function destinationOf(call: Call): string {
  const { project } = writtenBy(call, 'terraform').values;
  return typeof project === 'string' && (isId(project) || isUncreatedProject(project))
    ? project
    : 'no-project';
}

interface ApplyingKind {
  readonly operations: Readonly<Record<Action, readonly Operation[]>>;
  pathOf(id: string): string;
}

const relations = [
  'upsertBindings',
  'addTags',
  'removeTags',
  'replaceConsumers',
  'addConsumers',
  'removeConsumers',
  'assignSshKey',
  'setRetention',
  'removeRetention',
  'lockWorkspace',
] as const satisfies readonly Operation[];

export const applyingKinds: Readonly<Record<ResourceKind, ApplyingKind>> = {
  project: {
    operations: {
      create: ['createProject'],
      update: ['updateProject', 'upsertProjectBindings'],
      delete: ['deleteProject'],
    },
    pathOf: (id) => pathTo('showProject', { id }),
  },
  workspace: {
    operations: {
      // A recovered workspace is not created, and may need an update.
      create: ['recoverWorkspace', 'createWorkspace', 'updateWorkspace', ...relations],
      update: ['moveWorkspaces', 'updateWorkspace', 'unlockWorkspace', 'forceUnlockWorkspace', ...relations],
      delete: ['unlockWorkspace', 'deleteWorkspace'],
    },
    pathOf: (workspace) => pathTo('showWorkspace', { workspace }),
  },
  'team-access': {
    operations: { create: ['createGrant'], update: ['updateGrant'], delete: ['deleteGrant'] },
    pathOf: (id) => pathTo('showTeamProject', { id }),
  },
};
