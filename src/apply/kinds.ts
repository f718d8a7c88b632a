import type { Action } from '../model/change.ts';
import type { Operation } from '../model/plan.ts';
import type { ResourceKind } from '../model/state.ts';
import { pathTo } from '../service/endpoints.ts';

/** How the changes of one kind are applied. */
interface ApplyingKind {
  readonly operations: Readonly<Record<Action, readonly Operation[]>>;
  /** The path of the resource with an id. */
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
