import { durationPattern } from '../../model/attributes.ts';
import { isRecord } from '../../model/value.ts';
import { projectPermissions, projectResource } from '../documents/named-resources.ts';
import { includesOf } from '../documents/pages.ts';
import { bindingResource } from '../documents/tag-resources.ts';
import { type ErrorObject, invalid, refuseInvalid, reject } from '../http/responses.ts';
import type { ServiceRequest } from '../http/router.ts';
import { defaultPoolErrors } from '../rules/execution.ts';
import { givenId, type InputResource, readResource } from '../rules/request-document.ts';
import { readRelatedTags, storedBindings } from '../rules/tag-rules.ts';
import { isBoundAs, taggedParameters } from '../rules/workspace-filter.ts';
import { projectSettings, readWrittenSettings } from '../rules/written-settings.ts';
import type { StoredProject } from '../store/records.ts';
import { readName, readRoutes, type WritableKind, writeRoutes } from './named.ts';

/** The live service filters projects by their key/value tags, and by what the caller may do with them. */
function projectFilter({ world, query, caller }: ServiceRequest): (project: StoredProject) => boolean {
  if (world.dialect !== 'terraform') return () => true;
  const wanted = taggedParameters(query);
  const needed = Object.entries(filteredPermissions).flatMap(([name, permission]) =>
    query.has(`filter[permissions][${name}]`) ? [permission] : [],
  );
  return (project) =>
    wanted.every((tagged) => storedBindings(project).some((one) => isBoundAs(one, tagged))) &&
    needed.every((permission) => projectPermissions(world, project, caller)[permission] === true);
}

const filteredPermissions = {
  'create-workspace': 'can-create-workspace',
  update: 'can-update',
  'move-stack': 'can-move-stack',
} as const;

const projects: WritableKind<'projects'> = {
  collection: 'projects',
  type: 'projects',
  isDated: true,
  // The live service lists the newest project first.
  order: ({ world }) => (world.dialect === 'terraform' ? '-created-at' : ''),
  filter: projectFilter,
  resource: (request, project) =>
    projectResource(request.world, project, request.caller, includesOf(request)),
  included: (request, project) =>
    includesOf(request).includes('effective_tag_bindings')
      ? storedBindings(project).map((binding) => bindingResource(binding, 'effective-tag-bindings'))
      : [],
  mayChange: ({ world, caller }, project, action) =>
    projectPermissions(world, project, caller)[action === 'update' ? 'can-update' : 'can-destroy'] === true,
  release: releaseProject,
  resolve,
};

export const projectRoutes = readRoutes(projects);
export const writeProjectRoutes = writeRoutes(projects);

/** Refuses to delete a project with workspaces or Stacks, and the default project. */
function releaseProject({ world: { store } }: ServiceRequest, project: StoredProject): void {
  if (store.get('organizations', project.organization)?.defaultProject === project.id) {
    throw reject(403, 'The default project cannot be deleted.');
  }
  if (store.workspaces.all(project.organization).some((workspace) => workspace.project === project.id)) {
    throw reject(422, 'Project cannot be deleted because it has workspaces. Delete or move them first.');
  }
  if ((project.stacks ?? 0) > 0) {
    throw reject(422, 'Project cannot be deleted because it has Stacks. Delete or move them first.');
  }
  for (const grant of store.grantsOf(project.id)) store.remove('grants', grant.id);
}

function resolve(request: ServiceRequest, organization: string, before: StoredProject | undefined) {
  const { world, body } = request;
  const resource = readResource(body, 'projects');
  const { name, errors } = readName(resource, {
    taken: world.store.all('projects').filter((project) => project.organization === organization),
    before,
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
  const pool = sent ? String(sent) : ((mode === 'agent' ? before?.agentPool : null) ?? null);
  const isPool = (id: string) => world.store.get('agentPools', id)?.organization === organization;
  const pointer = '/data/attributes/default-agent-pool-id';
  errors.push(...defaultPoolErrors({ mode, pool, isPool, pointer }));
  return typeof mode === 'string'
    ? { executionMode: mode, agentPool: pool }
    : { executionMode: undefined, agentPool: undefined };
}
