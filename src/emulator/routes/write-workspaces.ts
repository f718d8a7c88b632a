import { hasProjectPermission, isOwner, managesWorkspaces, workspaceAccess } from '../callers.ts';
import { shownWorkspace } from '../documents/shown-workspace.ts';
import type { RouteSet, ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  invalidAttribute,
  json,
  noContent,
  notFound,
  refuseInvalid,
  reject,
} from '../http/responses.ts';
import { readAttributes } from '../rules/read-attributes.ts';
import {
  givenId,
  type InputResource,
  readResource,
  readResourceList,
  relationErrors,
} from '../rules/request-document.ts';
import { initialValues, resolveWorkspace } from '../rules/resolve-workspace.ts';
import { createTags, readRelatedTags } from '../rules/tag-rules.ts';
import type { StoredOrganization, StoredProject, StoredWorkspace } from '../store/store.ts';
import { answerSaved, findProject, onNamedWorkspace, onOrganization, saveWorkspace } from './finders.ts';

export const writeWorkspaceRoutes: RouteSet = {
  interface: [
    onOrganization('POST', '/workspaces', 'read', createWorkspace),
    ...onNamedWorkspace('PATCH', '', 'admin', updateWorkspace),
  ],
  live: [['POST', '/projects/:id/relationships/workspaces', moveWorkspaces]],
};

const empty = {
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
} as const;

function createWorkspace(request: ServiceRequest, organization: StoredOrganization): Answer {
  const { world, caller, body } = request;
  const { store } = world;
  const resource = readResource(body, 'workspaces');
  const project =
    projectOf(request, resource, organization) ?? store.get('projects', organization.defaultProject);
  const mayCreate =
    project &&
    (managesWorkspaces(caller, organization.id) ||
      hasProjectPermission(store, caller, project.id, 'workspace-access.create', true));
  if (!mayCreate) throw notFound();
  const { tags, ...written } = readWritten(request, resource, organization, project);
  const now = world.now();
  const workspace: StoredWorkspace = {
    ...empty,
    id: store.nextId('ws', `${organization.id}/${written.name}`),
    organization: organization.id,
    tags: createTags(world, organization.id, tags),
    ...written,
    createdAt: now,
    updatedAt: now,
  };
  store.put('workspaces', workspace);
  return json(201, { data: shownWorkspace(world, workspace, caller) });
}

function updateWorkspace(request: ServiceRequest, before: StoredWorkspace): Answer {
  const organization = request.world.store.get('organizations', before.organization);
  if (!organization) throw notFound();
  const resource = readResource(request.body, 'workspaces');
  const project = projectOf(request, resource, organization);
  if (project && project.id !== before.project && !mayMove(request, before, project)) throw notFound();
  const { tags: _created, ...written } = readWritten(request, resource, organization, project, before);
  return answerSaved(request, { ...before, ...written });
}

function readWritten(
  { world }: ServiceRequest,
  resource: InputResource,
  organization: StoredOrganization,
  given: StoredProject | undefined,
  before?: StoredWorkspace,
) {
  const { store, dialect } = world;
  const project = given?.id ?? before?.project ?? '';
  const attributes = readAttributes(resource.attributes, dialect);
  const resolved = resolveWorkspace({
    world,
    organization: organization.id,
    project,
    own: before?.attributes ?? initialValues(world, organization.id),
    neverDestroyed: before?.neverDestroyed,
    given: attributes,
    creating: before === undefined,
  });
  const related = readRelatedTags(resource, dialect);
  const bindings = related.bindings ?? before?.bindings ?? {};
  const { name } = attributes;
  const holder = name === undefined ? undefined : store.named(organization.id, 'workspaces', name);
  const errors = [...resolved.errors, ...related.errors];
  if (holder && holder.id !== before?.id)
    errors.unshift(invalidAttribute('name', 'Name has already been taken'));
  if (!before && resource.attributes.name === undefined)
    errors.unshift(invalidAttribute('name', "can't be blank"));
  refuseInvalid(errors);
  return {
    name: name ?? before?.name ?? '',
    project,
    attributes: resolved.own,
    neverDestroyed: resolved.neverDestroyed,
    bindings,
    tags: related.tags ?? [],
    structuredRunOutput: attributes.structuredOutput ?? before?.structuredRunOutput,
  };
}

/** The project in the request. The two dialects refuse an unknown one differently. */
function projectOf({ world }: ServiceRequest, resource: InputResource, organization: StoredOrganization) {
  refuseInvalid(relationErrors(resource, 'project', 'projects'));
  const id = givenId(resource, 'project');
  if (id === undefined) return undefined;
  const project = world.store.get('projects', id);
  if (project?.organization === organization.id) return project;
  const detail = 'Project not found, or you are not authorized to use it.';
  throw reject(world.dialect === 'terraform' ? 422 : 404, detail);
}

const mostWorkspaces = 100;

function moveWorkspaces(request: ServiceRequest): Answer {
  const { store } = request.world;
  const target = findProject(request);
  const items = readResourceList(request.body);
  const errors: ErrorObject[] = items.flatMap(({ type }, index) =>
    type === 'workspaces' ? [] : [invalid(`/data/${index}/type`, 'must be workspaces')],
  );
  if (items.length > mostWorkspaces)
    errors.push(invalid('/data', `cannot exceed ${mostWorkspaces} workspaces`));
  refuseInvalid(errors);
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
  if (workspace?.organization !== target.organization || workspaceAccess(caller, workspace) === 'none')
    throw notFound();
  if (!mayMove(request, workspace, target))
    throw reject(403, `You are not authorized to move the workspace ${workspace.id}.`);
  const { organization, attributes: own, neverDestroyed } = workspace;
  const given = readAttributes({}, world.dialect);
  const project = target.id;
  const resolved = resolveWorkspace({ world, organization, project, own, neverDestroyed, given });
  return { workspace: { ...workspace, project, attributes: resolved.own }, errors: resolved.errors };
}

function mayMove({ world, caller }: ServiceRequest, workspace: StoredWorkspace, target: StoredProject) {
  if (isOwner(caller, workspace.organization)) return true;
  return (
    workspaceAccess(caller, workspace) === 'admin' &&
    [workspace.project, target.id].every((project) =>
      hasProjectPermission(world.store, caller, project, 'workspace-access.move', true),
    )
  );
}
