import {
  type AttributePath,
  type NestedAttribute,
  wirePlaces,
  workspaceAttributes,
} from '../../model/attributes.ts';
import { mayForceDelete, type RequestSender, workspaceAccess } from '../callers.ts';
import { durationOf, inheritsSchedule } from '../rules/destroy-schedule.ts';
import { effectiveMode, effectivePool, executionDefaults } from '../rules/execution.ts';
import { hasOwnRepository } from '../rules/repository.ts';
import { bindingsInEffect } from '../rules/tag-rules.ts';
import type { StoredOrganization, StoredWorkspace } from '../store/records.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import type { AnsweredResource } from './answered-resource.ts';
import { bindingsRelationship } from './tag-resources.ts';
import { readOnlyAttributes, repositoryDetails, workspaceRelationships } from './workspace-read-only.ts';

/**
 * A workspace (interface, section 2.1).
 *
 * @param includes the values of `include`, one of which adds to the document itself
 */
export function shownWorkspace(
  world: World,
  workspace: StoredWorkspace,
  caller: RequestSender,
  includes: readonly string[] = [],
): AnsweredResource {
  const { id, organization, name } = workspace;
  const isIncluded = includes.includes('effective_tag_bindings');
  return {
    id,
    type: 'workspaces',
    attributes: {
      ...writableAttributes(world, workspace),
      ...readOnlyAttributes(world, workspace),
      permissions: permissionsOf(caller, workspace, world.store.get('organizations', organization)),
    },
    relationships: {
      ...workspaceRelationships(world, workspace, hasDataRetention(world)),
      ...(world.dialect === 'terraform' && {
        'effective-tag-bindings': bindingsRelationship(
          `/api/v2/workspaces/${id}`,
          isIncluded ? bindingsInEffect(world.store, workspace) : undefined,
        ),
      }),
    },
    links: {
      self: `/api/v2/organizations/${organization}/workspaces/${name}`,
      'self-html': `/app/${organization}/workspaces/${name}`,
    },
  };
}

/** Every writable attribute; the organization's default where the workspace has no own value. */
function writableAttributes(world: World, workspace: StoredWorkspace): Record<string, unknown> {
  const own = workspace.attributes;
  const project = world.store.get('projects', workspace.project);
  const defaults = executionDefaults(world.store, workspace.organization, project);
  const inherits = world.dialect === 'terraform' && inheritsSchedule(workspace);
  const mode = effectiveMode(own, defaults);
  const shown: Partial<Record<AttributePath, unknown>> = {
    'execution-mode': mode,
    'agent-pool-id': effectivePool(own, defaults),
    operations: mode !== 'local',
    ...(inherits && { 'auto-destroy-activity-duration': durationOf(project) }),
  };
  const attributes: Record<string, unknown> = { name: workspace.name };
  const nested: Record<NestedAttribute, Record<string, unknown>> = {
    'vcs-repo': {},
    'setting-overwrites': {},
  };
  for (const { path, holder, name } of wirePlaces[world.dialect]) {
    if (workspaceAttributes[path].hostedOnly && !hasAssessments(world)) continue;
    // The live service accepts the id as an attribute and returns the pool as a relationship only.
    if (path === 'agent-pool-id' && world.dialect === 'terraform') continue;
    const target = holder === undefined ? attributes : nested[holder];
    // Data of an earlier version lacks attributes that were added since.
    target[name] =
      path in shown ? shown[path] : own[path] === undefined ? workspaceAttributes[path].default : own[path];
  }
  Object.assign(attributes, nested);
  if (hasOwnRepository(own)) Object.assign(attributes['vcs-repo'] ?? {}, repositoryDetails(world, workspace));
  else attributes['vcs-repo'] = null;
  return attributes;
}

/** The least access that each entry of a workspace's `permissions` requires (interface, section 2.1). */
const needs = {
  'can-update': 'admin',
  'can-destroy': 'admin',
  'can-queue-run': 'admin',
  'can-read-run': 'read',
  'can-read-variable': 'read',
  'can-update-variable': 'admin',
  'can-read-state-versions': 'read',
  'can-read-state-outputs': 'read',
  'can-create-state-versions': 'admin',
  'can-queue-apply': 'admin',
  'can-lock': 'admin',
  'can-unlock': 'admin',
  'can-force-unlock': 'admin',
  'can-read-settings': 'read',
  'can-manage-tags': 'admin',
  'can-manage-run-tasks': 'admin',
  'can-force-delete': 'force-delete',
  'can-manage-assessments': 'admin',
  'can-manage-ephemeral-workspaces': 'admin',
  'can-read-assessment-results': 'read',
  'can-queue-destroy': 'admin',
} as const;

function permissionsOf(
  caller: RequestSender,
  workspace: StoredWorkspace,
  organization: StoredOrganization | undefined,
): Readonly<Record<string, boolean>> {
  const granted = {
    read: true,
    admin: workspaceAccess(caller, workspace) === 'admin',
    'force-delete': mayForceDelete(caller, workspace, organization),
  };
  return Object.fromEntries(Object.entries(needs).map(([permission, need]) => [permission, granted[need]]));
}
