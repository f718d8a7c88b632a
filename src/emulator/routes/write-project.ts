import { durationPattern } from '../../model/attributes.ts';
import { isRecord } from '../../model/value.ts';
import { projectPermissions, projectResource } from '../documents/named-resources.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
  reject,
} from '../http/answer.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { givenId, type InputResource, readResource } from '../rules/request-document.ts';
import { projectSettings, readWrittenSettings } from '../rules/settings.ts';
import { readRelatedTags } from '../rules/tags.ts';
import { idPrefixes } from '../seed/references.ts';
import type { StoredProject } from '../store/records.ts';
import { findRequestedProject } from './find.ts';
import { findOwned, readName } from './write-named.ts';

function createProject(request: ServiceRequest): Answer {
  const { world } = request;
  const organization = findOwned(request).id;
  const resolved = resolve(request, organization, undefined);
  const id = world.store.nextId(idPrefixes.projects, `${organization}/${resolved.name}`);
  return answer(request, { id, organization, createdAt: world.now(), ...resolved }, 201);
}

function updateProject(request: ServiceRequest): Answer {
  const { world, caller } = request;
  const before = findRequestedProject(request);
  if (!projectPermissions(world, before, caller)['can-update']) throw notFound();
  const { executionMode: _mode, agentPool: _pool, ...kept } = before;
  return answer(request, { ...kept, ...resolve(request, before.organization, before) });
}

/** Refuses to delete a project with workspaces or Stacks, and the default project. */
function deleteProject(request: ServiceRequest): Answer {
  const { world, caller } = request;
  const project = findRequestedProject(request);
  if (!projectPermissions(world, project, caller)['can-destroy']) throw notFound();
  if (world.store.get('organizations', project.organization)?.defaultProject === project.id) {
    throw reject(403, 'The default project cannot be deleted.');
  }
  if (
    world.store.workspaces.all(project.organization).some((workspace) => workspace.project === project.id)
  ) {
    throw reject(422, 'Project cannot be deleted because it has workspaces. Delete or move them first.');
  }
  if ((project.stacks ?? 0) > 0) {
    throw reject(422, 'Project cannot be deleted because it has Stacks. Delete or move them first.');
  }
  for (const grant of world.store.grantsOf(project.id)) world.store.remove('grants', grant.id);
  world.store.remove('projects', project.id);
  return noContent;
}

function answer(request: ServiceRequest, project: StoredProject, status = 200): Answer {
  request.world.store.put('projects', project);
  return json(status, { data: projectResource(request.world, project, request.caller) });
}

function resolve(request: ServiceRequest, organization: string, before: StoredProject | undefined) {
  const { world, body } = request;
  const resource = readResource(body, 'projects');
  const { name, errors } = readName(resource, {
    taken: world.store.all('projects').filter((project) => project.organization === organization),
    ...(before && { before }),
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-]$/,
    detail: 'Name may only contain 3 to 40 letters, numbers, spaces, -, and _, without spaces around it',
    ignoreCase: true,
  });
  const settings = readWrittenSettings(projectSettings, resource.attributes, errors);
  const duration = settings['auto-destroy-activity-duration'];
  if (typeof duration === 'string' && !durationPattern.test(duration)) {
    errors.push(
      invalid(
        '/data/attributes/auto-destroy-activity-duration',
        "Auto destroy activity duration has an incorrect format, we expect up to 4 numeric digits and 1 unit ('d' or 'h')",
      ),
    );
  }
  const execution = resolveDefaults(request, { resource, organization, before, settings, errors });
  const related = readRelatedTags(resource, world.dialect);
  refuseInvalid([...errors, ...related.errors]);
  const { description = before?.description ?? null } = settings;
  return {
    name,
    description: description === null ? null : String(description),
    autoDestroyActivityDuration:
      duration === undefined ? (before?.autoDestroyActivityDuration ?? null) : (duration as string | null),
    bindings: related.bindings ?? before?.bindings ?? {},
    ...execution,
  };
}

interface DefaultsInput {
  readonly resource: InputResource;
  readonly organization: string;
  readonly before: StoredProject | undefined;
  readonly settings: ReturnType<typeof readWrittenSettings>;
  readonly errors: ErrorObject[];
}

/** A mode in the request, or the flag, makes the defaults the project's own; the flag set to false removes them. */
function resolveDefaults(
  { world }: ServiceRequest,
  { resource, organization, before, settings, errors }: DefaultsInput,
): Pick<StoredProject, 'executionMode' | 'agentPool'> {
  const flags = resource.attributes['setting-overwrites'];
  const modeFlag = isRecord(flags) ? flags['default-execution-mode'] : undefined;
  const poolFlag = isRecord(flags) ? flags['default-agent-pool'] : undefined;
  if (typeof modeFlag === 'boolean' && typeof poolFlag === 'boolean' && modeFlag !== poolFlag) {
    errors.push(
      invalid(
        '/data/attributes/setting-overwrites',
        'If agent-pool and execution-mode are both included in setting-overwrites, their values must be the same.',
      ),
    );
  }
  const given = settings['default-execution-mode'];
  const mode = modeFlag === false ? undefined : (given ?? before?.executionMode);
  // The published schema has a relationship, the official Go client sends an attribute.
  const sent = settings['default-agent-pool-id'] || givenId(resource, 'default-agent-pool');
  const pool = sent || (mode === 'agent' ? before?.agentPool : null) || null;
  const pointer = '/data/attributes/default-agent-pool-id';
  if (pool !== null && mode !== 'agent') {
    errors.push(
      invalid(pointer, "Default agent pool must not be specified unless using 'agent' execution mode"),
    );
  } else if (mode === 'agent' && pool === null) {
    errors.push(invalid(pointer, "Default agent pool must be specified when using 'agent' execution mode"));
  } else if (pool !== null && world.store.get('agentPools', String(pool))?.organization !== organization) {
    errors.push(invalid(pointer, 'Agent pool does not exist in this organization'));
  }
  return typeof mode === 'string' ? { executionMode: mode, agentPool: pool as string | null } : {};
}

export const writeProjectRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/projects', createProject],
  ['PATCH', '/projects/:id', updateProject],
  ['DELETE', '/projects/:id', deleteProject],
];
