import type { Action } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Operation, Plan, PlannedChange } from '../model/plan.ts';
import type { ResourceKind } from '../model/state.ts';
import type { ServiceReader } from '../service/client.ts';
import { pathTo } from '../service/endpoints.ts';
import { checkGrantFacts, checkGrantProjects, checkProjectFacts, checkProjectIds } from './check-projects.ts';
import { checkWorkspaceFacts, checkWorkspaceIds } from './check-workspaces.ts';

/** How the changes of one kind are applied. */
interface ApplyingKind {
  readonly operations: Readonly<Record<Action, readonly Operation[]>>;
  /** The path of the resource with an id. */
  pathOf(id: string): string;
  /** Reads the objects that changes of a saved plan would write, and reports what changed since it was saved. */
  checkFacts(changes: readonly PlannedChange[], plan: Plan, reader: ServiceReader): Promise<Diagnostic[]>;
  /** Checks that the ids of a plan file belong to its organization and to the names that it shows. */
  checkIds(changes: readonly PlannedChange[], plan: Plan, reader: ServiceReader): Promise<Diagnostic[]>;
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
    checkFacts: checkProjectFacts,
    checkIds: checkProjectIds,
  },
  workspace: {
    operations: {
      // A recovered workspace is not created, and may need an update.
      create: ['recoverWorkspace', 'createWorkspace', 'updateWorkspace', ...relations],
      update: ['moveWorkspaces', 'updateWorkspace', 'unlockWorkspace', ...relations],
      delete: ['unlockWorkspace', 'deleteWorkspace'],
    },
    pathOf: (workspace) => pathTo('showWorkspace', { workspace }),
    checkFacts: checkWorkspaceFacts,
    checkIds: checkWorkspaceIds,
  },
  'team-access': {
    operations: { create: ['createGrant'], update: ['updateGrant'], delete: ['deleteGrant'] },
    pathOf: (id) => pathTo('showTeamProject', { id }),
    checkFacts: checkGrantFacts,
    checkIds: checkGrantProjects,
  },
};
