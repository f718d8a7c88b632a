import {
  type AttributePath,
  type NestedAttribute,
  wirePlaces,
  workspaceAttributes,
} from '../../model/attributes.ts';
import { mayForceDelete, type RequestSender, workspaceAccess } from '../callers.ts';
import { effectiveMode, effectivePool, executionDefaults } from '../rules/execution.ts';
import { hasOwnRepository } from '../rules/repository.ts';
import { durationOf, inheritsSchedule } from '../rules/schedule.ts';
import { bindingsInEffect } from '../rules/tags.ts';
import type { StoredOrganization, StoredProject, StoredWorkspace } from '../store/records.ts';
import { hasAssessments, hasDataRetention, type World } from '../world.ts';
import { bindingsRelationship } from './tags.ts';
import { readOnlyAttributes, repositoryDetails, workspaceRelationships } from './workspace-read-only.ts';

interface Rendered {
  readonly organization: StoredOrganization | undefined;
  readonly project: StoredProject | undefined;
  /** The document before and after the permissions, which depend on the caller. */
  readonly head: string;
  /** The relationships except the effective bindings, which depend on `include`. */
  readonly middle: string;
  readonly tail: string;
}

/** Caches the text of a record, which never changes in place. */
const rendered = new WeakMap<StoredWorkspace, Rendered>();

/**
 * The workspace's document as text (interface, section 2.1).
 *
 * @param includes the values of `include`, one of which adds to the document itself
 */
export function workspaceJson(
  world: World,
  workspace: StoredWorkspace,
  caller: RequestSender,
  includes: readonly string[] = [],
): string {
  const organization = world.store.get('organizations', workspace.organization);
  const project = world.store.get('projects', workspace.project);
  let parts = rendered.get(workspace);
  if (!parts || parts.organization !== organization || parts.project !== project) {
    parts = render(world, workspace, { organization, project });
    rendered.set(workspace, parts);
  }
  const { head, middle, tail } = parts;
  const bindings = world.dialect === 'terraform' ? bindingsJson(world, workspace, includes) : '';
  return head + permissionsJson(caller, workspace, organization) + middle + bindings + tail;
}

function bindingsJson(world: World, workspace: StoredWorkspace, includes: readonly string[]): string {
  const isIncluded = includes.includes('effective_tag_bindings');
  const relationship = bindingsRelationship(
    `/api/v2/workspaces/${workspace.id}`,
    isIncluded ? bindingsInEffect(world.store, workspace) : undefined,
  );
  return `,"effective-tag-bindings":${JSON.stringify(relationship)}`;
}

function render(
  world: World,
  workspace: StoredWorkspace,
  { organization, project }: Pick<Rendered, 'organization' | 'project'>,
): Rendered {
  const attributes = { ...writableAttributes(world, workspace), ...readOnlyAttributes(world, workspace) };
  const path = `/api/v2/organizations/${workspace.organization}/workspaces/${workspace.name}`;
  const links = { self: path, 'self-html': `/app/${workspace.organization}/workspaces/${workspace.name}` };
  const relationships = workspaceRelationships(world, workspace, hasDataRetention(world));
  return {
    organization,
    project,
    head: `{"id":${JSON.stringify(workspace.id)},"type":"workspaces","attributes":${JSON.stringify(attributes).slice(0, -1)},"permissions":`,
    middle: `},"relationships":${JSON.stringify(relationships).slice(0, -1)}`,
    tail: `},"links":${JSON.stringify(links)}}`,
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

/** The block as text, because it is the only part of a document that depends on the caller. */
function permissionsJson(
  caller: RequestSender,
  workspace: StoredWorkspace,
  organization: StoredOrganization | undefined,
): string {
  const admin = workspaceAccess(caller, workspace) === 'admin';
  const forceDelete = mayForceDelete(caller, workspace, organization);
  return forceDelete ? everything : admin ? withoutForceDelete : readOnly;
}

function block(admin: boolean, forceDelete: boolean): string {
  const granted = { read: true, admin, 'force-delete': forceDelete };
  return JSON.stringify(
    Object.fromEntries(Object.entries(needs).map(([permission, need]) => [permission, granted[need]])),
  );
}

const everything = block(true, true);
const withoutForceDelete = block(true, false);
const readOnly = block(false, false);
