import type { Dialect } from '../../model/dialect.ts';
import { hasProjectPermission, isOwner, managesWorkspaces, workspaceAccess } from '../callers.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  noContent,
  notFound,
  refuseInvalid,
  reject,
} from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { type ReadAttributes, readAttributes } from '../rules/read-attributes.ts';
import {
  givenId,
  type InputResource,
  readResource,
  readResourceList,
  relationErrors,
} from '../rules/request-document.ts';
import { initialValues, resolveWorkspace } from '../rules/resolve-workspace.ts';
import { createTags, overrideErrors, readRelatedTags } from '../rules/tag-rules.ts';
import type { StoredOrganization, StoredProject, StoredWorkspace } from '../store/records.ts';
import {
  answerWorkspace,
  findRequestedOrganization,
  findRequestedProject,
  findRequestedWorkspace,
  onNamedWorkspace,
  saveWorkspace,
} from './find-requested.ts';

/** POST /organizations/:organization/workspaces */
function postWorkspace(request: ServiceRequest) {
  const { world, caller, body } = request;
  const organization = findRequestedOrganization(request);
  const resource = readResource(body, 'workspaces');
  const project = projectOf(request, resource, organization) ?? defaultProject(request, organization);
  if (
    !managesWorkspaces(caller, organization.id) &&
    !hasProjectPermission(world.store, caller, project.id, 'workspace-access.create', true)
  ) {
    throw notFound();
  }
  const { tags, ...written } = readWritten(request, {
    resource,
    project: project.id,
    organization,
    before: undefined,
  });
  const now = world.now();
  const workspace: StoredWorkspace = {
    id: world.store.nextId('ws', `${organization.id}/${written.name}`),
    organization: organization.id,
    tags: createTags(world, organization.id, tags),
    consumers: [],
    sshKey: null,
    lock: null,
    retention: null,
    run: null,
    state: {
      id: null,
      createdAt: null,
      resourceCount: 0,
      intermediate: 'none',
      processing: false,
      outputs: [],
    },
    readme: null,
    ...written,
    createdAt: now,
    updatedAt: now,
  };
  world.store.put('workspaces', workspace);
  return answerWorkspace(request, workspace, 201);
}

/** PATCH /workspaces/:workspace_id and its name-based form */
function patchWorkspace(request: ServiceRequest) {
  const { world } = request;
  const before = findRequestedWorkspace(request, 'admin');
  const organization = world.store.get('organizations', before.organization);
  if (!organization) throw notFound();
  const resource = readResource(request.body, 'workspaces');
  const project = projectOf(request, resource, organization);
  if (project && project.id !== before.project && !mayMove(request, before, project)) throw notFound();
  const { tags: _created, ...written } = readWritten(request, {
    resource,
    project: project?.id,
    organization,
    before,
  });
  return answerWorkspace(request, saveWorkspace(request, { ...before, ...written }));
}

interface WriteInput {
  readonly resource: InputResource;
  /** The project in the request; on a create, that of the workspace. */
  readonly project: string | undefined;
  readonly organization: StoredOrganization;
  readonly before: StoredWorkspace | undefined;
}

/** The values after a write, by every rule. */
function readWritten(
  request: ServiceRequest,
  { resource, project: given, organization, before }: WriteInput,
) {
  const { world } = request;
  const { store, dialect } = world;
  const project = given ?? before?.project ?? '';
  const attributes = readAttributes(resource.attributes, dialect);
  const resolved = resolveWorkspace({
    world,
    organization: organization.id,
    project,
    own: before?.attributes ?? initialValues(world, organization.id),
    neverDestroyed: before?.neverDestroyed ?? false,
    given: attributes,
    creating: before === undefined,
  });
  const related = readRelatedTags(resource, dialect);
  const output = readStructuredOutput(resource, dialect);
  const bindings = related.bindings ?? before?.bindings ?? {};
  // Tags from before the key was reserved do not prevent other updates.
  const mayOverride = related.bindings !== undefined || given !== undefined;
  refuseInvalid([
    ...nameErrors(request, organization.id, resource, attributes, before),
    ...resolved.errors,
    ...related.errors,
    ...(mayOverride
      ? overrideErrors(store, { organization: organization.id, bindings }, store.get('projects', project))
      : []),
    ...output.errors,
  ]);
  return {
    name: attributes.name ?? before?.name ?? '',
    project,
    attributes: resolved.own,
    neverDestroyed: resolved.neverDestroyed,
    bindings,
    tags: related.tags ?? [],
    ...output.value,
  };
}

/** The interface document lists it among the read-only attributes; the live service accepts it. */
function readStructuredOutput({ attributes }: InputResource, dialect: Dialect) {
  const name = 'structured-run-output-enabled';
  const value =
    dialect === 'terraform' ? (attributes[name] ?? attributes[name.replaceAll('-', '_')]) : undefined;
  if (typeof value === 'boolean') return { value: { structuredRunOutput: value }, errors: [] };
  const isGiven = value !== undefined && value !== null;
  return { value: {}, errors: isGiven ? [invalid(`/data/attributes/${name}`, 'must be true or false')] : [] };
}

function nameErrors(
  request: ServiceRequest,
  organization: string,
  resource: InputResource,
  given: ReadAttributes,
  before: StoredWorkspace | undefined,
): ErrorObject[] {
  if (!before && resource.attributes.name === undefined)
    return [invalid('/data/attributes/name', "can't be blank")];
  if (given.name === undefined) return [];
  const holder = request.world.store.workspaces.byName(organization, given.name);
  return holder && holder.id !== before?.id
    ? [invalid('/data/attributes/name', 'Name has already been taken')]
    : [];
}

/** The project in the request. The two dialects refuse an unknown one differently. */
function projectOf(
  request: ServiceRequest,
  resource: InputResource,
  organization: StoredOrganization,
): StoredProject | undefined {
  refuseInvalid(relationErrors(resource, 'project', 'projects'));
  const id = givenId(resource, 'project');
  if (id === undefined) return undefined;
  const project = request.world.store.get('projects', id);
  if (project?.organization === organization.id) return project;
  const detail = 'Project not found, or you are not authorized to use it.';
  throw reject(request.world.dialect === 'terraform' ? 422 : 404, detail);
}

function defaultProject(request: ServiceRequest, organization: StoredOrganization): StoredProject {
  const project = request.world.store.get('projects', organization.defaultProject);
  if (!project) throw notFound();
  return project;
}

export const writeWorkspaceRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/workspaces', postWorkspace],
  ...onNamedWorkspace('PATCH', '', patchWorkspace),
];

const mostWorkspaces = 100;

/** POST /projects/:id/relationships/workspaces: moves all of the workspaces, or none of them. */
function moveWorkspaces(request: ServiceRequest): Answer {
  const target = findRequestedProject(request);
  const items = readResourceList(request.body);
  const errors: ErrorObject[] = items.flatMap(({ type }, index) =>
    type === 'workspaces' ? [] : [invalid(`/data/${index}/type`, 'must be workspaces')],
  );
  if (items.length > mostWorkspaces)
    errors.push(invalid('/data', `cannot exceed ${mostWorkspaces} workspaces`));
  refuseInvalid(errors);
  const { store } = request.world;
  const moved = items.map(({ id }) => movable(request, store.get('workspaces', String(id)), target));
  refuseInvalid(moved.flatMap((workspace) => workspace.errors));
  for (const { workspace } of moved) saveWorkspace(request, workspace);
  return noContent;
}

function movable(
  request: ServiceRequest,
  workspace: StoredWorkspace | undefined,
  target: StoredProject,
): { readonly workspace: StoredWorkspace; readonly errors: readonly ErrorObject[] } {
  const { world, caller } = request;
  if (workspace?.organization !== target.organization || workspaceAccess(caller, workspace) === 'none') {
    throw notFound();
  }
  if (!mayMove(request, workspace, target)) {
    throw reject(403, `You are not authorized to move the workspace ${workspace.id}.`);
  }
  const { organization, attributes: own, neverDestroyed = false } = workspace;
  const given = readAttributes({}, world.dialect);
  const resolved = resolveWorkspace({
    world,
    organization,
    project: target.id,
    own,
    neverDestroyed,
    given,
    creating: false,
  });
  return {
    workspace: { ...workspace, project: target.id, attributes: resolved.own },
    errors: [...resolved.errors, ...overrideErrors(world.store, workspace, target)],
  };
}

/** A move requires the permission to move in both projects, and to change the workspace. */
function mayMove(
  { world, caller }: ServiceRequest,
  workspace: StoredWorkspace,
  target: StoredProject,
): boolean {
  if (isOwner(caller, workspace.organization)) return true;
  const projects = [workspace.project, target.id];
  return (
    workspaceAccess(caller, workspace) === 'admin' &&
    projects.every((project) =>
      hasProjectPermission(world.store, caller, project, 'workspace-access.move', true),
    )
  );
}

export const moveWorkspacesRoutes: readonly Route[] = [
  ['POST', '/projects/:id/relationships/workspaces', moveWorkspaces],
];
