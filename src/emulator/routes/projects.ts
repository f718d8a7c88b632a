import { executionModes } from '../../model/attribute-table.ts';
import type { PermissionPath } from '../../model/attribute-values.ts';
import type { Permission } from '../../model/permissions.ts';
import { isRecord } from '../../model/value.ts';
import { hasProjectPermission, isOwner, managesWorkspaces, type RequestSender } from '../callers.ts';
import {
  type AnsweredResource,
  bindingResource,
  bindingsRelationship,
  each,
  includesOf,
  linked,
  toOne,
  words,
} from '../documents/resource.ts';
import type { RouteSet, ServiceRequest } from '../http/handle-request.ts';
import { invalidAttribute, reject } from '../http/responses.ts';
import { defaultPoolErrors, executionInEffect, flagsDiffer } from '../rules/execution.ts';
import { givenId } from '../rules/request-document.ts';
import { projectSettings, setting, writtenSettings } from '../rules/settings.ts';
import { bindingFilter, readRelatedTags, storedBindings } from '../rules/tag-rules.ts';
import type { StoredProject } from '../store/store.ts';
import type { World } from '../world.ts';
import { type NamedWrite, namedResource, readRoutes, type WritableKind, writeRoutes } from './named.ts';

const projects: WritableKind<'projects'> = {
  collection: 'projects',
  type: 'projects',
  settings: projectSettings,
  names: {
    unique: 'ignoring case',
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-]$/,
    detail: 'Name may only contain 3 to 40 letters, numbers, spaces, -, and _, without spaces around it',
  },
  // The live service lists the newest project first.
  order: ({ world }) => (world.dialect === 'terraform' ? '-created-at' : ''),
  filter: projectFilter,
  attributes: ({ world, caller }, project) => {
    const { id, organization, stacks = 0, executionMode } = project;
    const isOwn = executionMode !== undefined;
    const members = world.store.ownedBy(organization, 'workspaces').filter((one) => one.project === id);
    return {
      'created-at': project.createdAt,
      'default-execution-mode': executionInEffect(world.store, organization, project).mode,
      'setting-overwrites': { 'default-execution-mode': isOwn, 'default-agent-pool': isOwn },
      'team-count': world.store.grantsOf(id).length,
      'workspace-count': members.length,
      'stack-count': world.dialect === 'terraform' ? stacks : undefined,
      permissions: projectPermissions(world, project, caller),
    };
  },
  relationships: (request, project) => {
    const { store, dialect } = request.world;
    const isLive = dialect === 'terraform';
    const path = `/api/v2/projects/${project.id}`;
    const bindings = includesOf(request).includes('effective_tag_bindings')
      ? storedBindings(project)
      : undefined;
    return {
      'default-agent-pool': toOne(
        'agent-pools',
        executionInEffect(store, project.organization, project).agentPool,
      ),
      'tag-bindings': isLive ? linked(`${path}/tag-bindings`) : undefined,
      'effective-tag-bindings': isLive ? bindingsRelationship(path, bindings) : undefined,
    };
  },
  included: (request, project) =>
    includesOf(request).includes('effective_tag_bindings')
      ? storedBindings(project).map((binding) => bindingResource(binding, 'effective-tag-bindings'))
      : [],
  mayChange: ({ world, caller }, project, action) =>
    projectPermissions(world, project, caller)[action === 'update' ? 'can-update' : 'can-destroy'] === true,
  release: releaseProject,
  resolve: resolveProject,
};

export const projectRoutes: RouteSet = { common: readRoutes(projects), live: writeRoutes(projects) };

export function projectResource(request: ServiceRequest, project: StoredProject): AnsweredResource {
  return namedResource(projects, request, project);
}

export function projectPermissions(
  { store }: World,
  project: StoredProject,
  caller: RequestSender,
): Readonly<Record<string, boolean>> {
  const owner = isOwner(caller, project.organization);
  const may = (path: PermissionPath, least: Permission) =>
    owner || hasProjectPermission(store, caller, project.id, path, least);
  return {
    'can-read': true,
    'can-view-stacks': true,
    ...each(ofOwners, owner, 'can-'),
    ...each(ofUpdaters, may('project-access.settings', 'update'), 'can-'),
    'can-destroy': may('project-access.settings', 'delete'),
    'can-create-workspace':
      managesWorkspaces(caller, project.organization) || may('workspace-access.create', true),
    'can-move-workspace': may('workspace-access.move', true),
    'can-read-teams': may('project-access.teams', 'read'),
    'can-manage-teams': may('project-access.teams', 'manage'),
    'can-manage-varsets': may('project-access.variable-sets', 'write'),
  };
}

const ofOwners = words('move-stack manage-stacks update-stacks deploy-no-code-modules');
const ofUpdaters = words('update manage-tags manage-ephemeral-workspace-for-projects');

function projectFilter({ world, query, caller }: ServiceRequest): (project: StoredProject) => boolean {
  if (world.dialect !== 'terraform') return () => true;
  const isTagged = bindingFilter(query);
  const needed = words('create-workspace update move-stack').filter((name) =>
    query.has(`filter[permissions][${name}]`),
  );
  return (project) => {
    const permissions = projectPermissions(world, project, caller);
    return isTagged(storedBindings(project)) && needed.every((name) => permissions[`can-${name}`]);
  };
}

function releaseProject({ world: { store } }: ServiceRequest, project: StoredProject): void {
  if (store.get('organizations', project.organization)?.defaultProject === project.id)
    throw reject(403, 'The default project cannot be deleted.');
  const refuse = (what: string) =>
    reject(422, `Project cannot be deleted because it has ${what}. Delete or move them first.`);
  if (store.ownedBy(project.organization, 'workspaces').some((workspace) => workspace.project === project.id))
    throw refuse('workspaces');
  if ((project.stacks ?? 0) > 0) throw refuse('Stacks');
  for (const grant of store.grantsOf(project.id)) store.remove('grants', grant.id);
}

function resolveProject(input: NamedWrite<'projects'>): Partial<StoredProject> {
  const { request, resource, before, errors } = input;
  const related = readRelatedTags(resource, request.world.dialect);
  errors.push(...related.errors);
  return { bindings: related.bindings ?? before?.bindings ?? {}, ...resolveDefaults(input) };
}

/** A mode in the request, or the flag, makes the defaults the project's own; the flag set to false removes them. */
function resolveDefaults(input: NamedWrite<'projects'>): Pick<StoredProject, 'executionMode' | 'agentPool'> {
  const { request, organization, resource, before, errors } = input;
  const flags = resource.attributes['setting-overwrites'];
  const { 'default-execution-mode': modeFlag, 'default-agent-pool': poolFlag } = isRecord(flags) ? flags : {};
  if (typeof modeFlag === 'boolean' && typeof poolFlag === 'boolean' && modeFlag !== poolFlag)
    errors.push(invalidAttribute('setting-overwrites', flagsDiffer));
  const given = writtenSettings(ownDefaults, resource.attributes, errors);
  const mode = modeFlag === false ? undefined : (given['default-execution-mode'] ?? before?.executionMode);
  // The published schema has a relationship, the official Go client sends an attribute.
  const sent = given['default-agent-pool-id'] || givenId(resource, 'default-agent-pool');
  const pool = sent ? String(sent) : ((mode === 'agent' ? before?.agentPool : null) ?? null);
  const { store } = request.world;
  const isPool = pool !== null && store.get('agentPools', pool)?.organization === organization;
  errors.push(...defaultPoolErrors(mode, pool, isPool, '/data/attributes/default-agent-pool-id'));
  return typeof mode === 'string'
    ? { executionMode: mode, agentPool: pool }
    : { executionMode: undefined, agentPool: undefined };
}

const ownDefaults = {
  'default-execution-mode': setting.choice(executionModes),
  'default-agent-pool-id': setting.text,
};
