import type { Dialect } from '../../model/dialect.ts';
import { hasProjectPermission, isOwner, managesWorkspaces, workspaceAccess } from '../callers.ts';
import { type ErrorObject, invalid, notFound, refuseInvalid, reject } from '../http/rejection.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { type InputResource, readResource, relatedId } from '../rules/documents.ts';
import { type ReadAttributes, readAttributes } from '../rules/read-attributes.ts';
import { readRelatedTags } from '../rules/related-tags.ts';
import { initialValues, settleWorkspace } from '../rules/settle-workspace.ts';
import type { OrganizationRecord, ProjectRecord, WorkspaceRecord } from '../store/records.ts';
import { findOrganization } from './find-organization.ts';
import { answerWorkspace, findWorkspace, saveWorkspace } from './find-workspace.ts';
import { createTags } from './workspace-tags.ts';

/** POST /organizations/:organization/workspaces */
export function createWorkspace(request: ServiceRequest) {
  const { world, caller, body } = request;
  const organization = findOrganization(request);
  const resource = readResource(body, 'workspaces');
  const project = projectOf(request, resource, organization) ?? defaultProject(request, organization);
  if (
    !managesWorkspaces(caller, organization.id) &&
    !hasProjectPermission(world.store, caller, project.id, 'workspace-access.create', true)
  ) {
    throw notFound();
  }
  const given = readAttributes(resource.attributes, world.dialect);
  const own = initialValues(world, organization.id);
  const settled = settleWorkspace({
    world,
    organization: organization.id,
    project: project.id,
    own,
    given,
    creating: true,
  });
  const related = readRelatedTags(resource, world.dialect);
  const output = readStructuredOutput(resource, world.dialect);
  refuseInvalid([
    ...nameErrors(request, organization.id, resource, given, undefined),
    ...settled.errors,
    ...related.errors,
    ...output.errors,
  ]);
  const name = given.name ?? '';
  const now = world.now();
  const workspace: WorkspaceRecord = {
    id: world.store.nextId('ws', `${organization.id}/${name}`),
    organization: organization.id,
    name,
    project: project.id,
    attributes: settled.own,
    tags: createTags(request, organization.id, related.tags ?? []),
    bindings: related.bindings ?? {},
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
    ...output.value,
    createdAt: now,
    updatedAt: now,
  };
  world.store.put('workspaces', workspace);
  return answerWorkspace(request, workspace, 201);
}

/** PATCH /workspaces/:workspace_id and its name-based form */
export function updateWorkspace(request: ServiceRequest) {
  const { world } = request;
  const before = findWorkspace(request, 'admin');
  const organization = world.store.get('organizations', before.organization);
  if (!organization) throw notFound();
  const resource = readResource(request.body, 'workspaces');
  const project = projectOf(request, resource, organization);
  if (project && project.id !== before.project) refuseMove(request, before, project);
  const given = readAttributes(resource.attributes, world.dialect);
  const settled = settleWorkspace({
    world,
    organization: organization.id,
    project: project?.id ?? before.project,
    own: before.attributes,
    given,
    creating: false,
  });
  const related = readRelatedTags(resource, world.dialect);
  const output = readStructuredOutput(resource, world.dialect);
  refuseInvalid([
    ...nameErrors(request, organization.id, resource, given, before),
    ...settled.errors,
    ...related.errors,
    ...output.errors,
  ]);
  const after = saveWorkspace(request, {
    ...before,
    name: given.name ?? before.name,
    project: project?.id ?? before.project,
    attributes: settled.own,
    bindings: related.bindings ?? before.bindings,
    ...output.value,
  });
  return answerWorkspace(request, after);
}

/** The interface document lists it among what only answers have; the live service takes it. */
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
  before: WorkspaceRecord | undefined,
): ErrorObject[] {
  if (!before && resource.attributes.name === undefined)
    return [invalid('/data/attributes/name', "can't be blank")];
  if (given.name === undefined) return [];
  const holder = request.world.store.workspaces.byName(organization, given.name);
  return holder && holder.id !== before?.id
    ? [invalid('/data/attributes/name', 'Name has already been taken')]
    : [];
}

/** The project that the request names. The two dialects refuse an unknown one differently. */
function projectOf(
  request: ServiceRequest,
  resource: InputResource,
  organization: OrganizationRecord,
): ProjectRecord | undefined {
  const id = relatedId(resource, 'project');
  if (id === undefined) return undefined;
  const project = request.world.store.get('projects', id);
  if (project?.organization === organization.id) return project;
  const detail = 'Project not found, or you are not authorized to use it.';
  throw reject(request.world.dialect === 'terraform' ? 422 : 404, detail);
}

function defaultProject(request: ServiceRequest, organization: OrganizationRecord): ProjectRecord {
  const project = request.world.store.get('projects', organization.defaultProject);
  if (!project) throw notFound();
  return project;
}

/** A move needs the right to move in both projects. */
function refuseMove(request: ServiceRequest, workspace: WorkspaceRecord, target: ProjectRecord): void {
  const { world, caller } = request;
  if (isOwner(caller, workspace.organization)) return;
  const movable = [workspace.project, target.id].every((project) =>
    hasProjectPermission(world.store, caller, project, 'workspace-access.move', true),
  );
  if (!movable || workspaceAccess(caller, workspace) !== 'admin') throw notFound();
}
