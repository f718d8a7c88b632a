import type { Dialect } from '../../model/dialect.ts';
import { type PermissionGroup, permissionPlaces } from '../../model/permissions.ts';
import { isRecord } from '../../model/value.ts';
import { administersProject, type RequestSender, seesTeam } from '../callers.ts';
import type { AnsweredResource } from '../documents/answered-resource.ts';
import { projectPermissions, projectResource } from '../documents/named-resources.ts';
import { includesOf, pageOf } from '../documents/pages.ts';
import { bindingResource } from '../documents/tag-resources.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
  reject,
} from '../http/responses.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { defaultPoolErrors } from '../rules/execution.ts';
import {
  givenId,
  type InputResource,
  readResource,
  readResourceOfAnyType,
  relationErrors,
} from '../rules/request-document.ts';
import { grantedPermission, resolveAccess } from '../rules/resolve-access.ts';
import { readRelatedTags, storedBindings } from '../rules/tag-rules.ts';
import { isBoundAs, taggedParameters } from '../rules/workspace-filter.ts';
import { projectSettings, readWrittenSettings, writtenExecution } from '../rules/written-settings.ts';
import type { StoredGrant, StoredProject, StoredTeam } from '../store/records.ts';
import type { World } from '../world.ts';
import { findVisibleProject } from './find-requested.ts';
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
  const execution = resolveDefaults(request, { resource, organization, before, errors });
  const related = readRelatedTags(resource, world.dialect);
  refuseInvalid([...errors, ...related.errors]);
  return {
    name,
    settings: { ...before?.settings, ...settings },
    bindings: related.bindings ?? before?.bindings ?? {},
    ...execution,
  };
}

interface DefaultsInput {
  readonly resource: InputResource;
  readonly organization: string;
  readonly before: StoredProject | undefined;
  readonly errors: ErrorObject[];
}

/** A mode in the request, or the flag, makes the defaults the project's own; the flag set to false removes them. */
function resolveDefaults(
  { world }: ServiceRequest,
  { resource, organization, before, errors }: DefaultsInput,
): Pick<StoredProject, 'executionMode' | 'agentPool'> {
  const settings = readWrittenSettings(writtenExecution, resource.attributes, errors);
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

/** GET /team-projects: the grants of the project in the filter (interface, section 4.9) */
function getTeamProjects(request: ServiceRequest): Answer {
  const { store, dialect } = request.world;
  const project = findVisibleProject(request, request.query.get('filter[project][id]') ?? '');
  const team = request.query.get('filter[team][id]');
  const grants = store
    .grantsOf(project.id)
    .filter((grant) => isVisible(request, project, grant) && (team === null || grant.team === team));
  return pageOf(request, grants, (grant) => teamProjectResource(grant, dialect));
}

/** GET /team-projects/:id */
function getTeamProject(request: ServiceRequest): Answer {
  return answer(request, findGrant(request, 'read'));
}

/** POST /team-projects: 200, as documented */
function postTeamProject(request: ServiceRequest): Answer {
  const { store, dialect } = request.world;
  const resource = readResource(request.body, 'team-projects');
  refuseInvalid(relationshipErrors(resource));
  const { access, errors } = resolveAccess({ before: undefined, attributes: resource.attributes, dialect });
  refuseInvalid(errors);
  const project = findVisibleProject(request, givenId(resource, 'project') ?? '');
  const team = store.get('teams', givenId(resource, 'team') ?? '');
  if (team?.organization !== project.organization || !mayGrantTo(request.world, request.caller, team))
    throw notFound();
  if (!administersProject(store, request.caller, project.organization, project.id)) throw notFound();
  if (store.grantsOf(project.id).some((grant) => grant.team === team.id)) {
    refuseInvalid([invalid('/data/relationships/team', 'Team has already been added to this project')]);
  }
  const id = store.nextId('tprj', `${project.id}/${team.id}`);
  const grant: StoredGrant = { id, project: project.id, team: team.id, ...access };
  store.put('grants', grant);
  return answer(request, grant);
}

/** PATCH /team-projects/:id */
function patchTeamProject(request: ServiceRequest): Answer {
  const grant = findGrant(request, 'admin');
  const { attributes } = readResourceOfAnyType(request.body, 'team-projects');
  const { access, errors } = resolveAccess({ before: grant, attributes, dialect: request.world.dialect });
  refuseInvalid(errors);
  const after: StoredGrant = { ...grant, ...access };
  request.world.store.put('grants', after);
  return answer(request, after);
}

/** DELETE /team-projects/:id */
function deleteTeamProject(request: ServiceRequest): Answer {
  request.world.store.remove('grants', findGrant(request, 'admin').id);
  return noContent;
}

function answer(request: ServiceRequest, grant: StoredGrant): Answer {
  return json(200, { data: teamProjectResource(grant, request.world.dialect) });
}

/** Owners and project admins see all of a project's grants, other callers those of their teams. */
function isVisible({ world, caller }: ServiceRequest, project: StoredProject, grant: StoredGrant): boolean {
  const { store } = world;
  const team = store.get('teams', grant.team);
  return (
    caller.teams.includes(grant.team) ||
    (administersProject(store, caller, project.organization, project.id) &&
      (team === undefined || mayGrantTo(world, caller, team)))
  );
}

/** On the live service, a project admin who is not an owner does not see secret teams, nor their access. */
function mayGrantTo({ store, dialect }: World, caller: RequestSender, team: StoredTeam): boolean {
  return dialect === 'iac' || seesTeam(store, caller, team);
}

function findGrant(request: ServiceRequest, needed: 'read' | 'admin'): StoredGrant {
  const { store } = request.world;
  const grant = store.get('grants', pathPart(request, 'id'));
  if (!grant) throw notFound();
  const project = findVisibleProject(request, grant.project);
  if (!isVisible(request, project, grant)) throw notFound();
  if (needed === 'admin' && !administersProject(store, request.caller, project.organization, project.id))
    throw notFound();
  return grant;
}

function relationshipErrors(resource: InputResource): ErrorObject[] {
  return (['project', 'team'] as const).flatMap((name) => {
    const errors = relationErrors(resource, name, `${name}s`);
    const isBlank = errors.length === 0 && givenId(resource, name) === undefined;
    return isBlank ? [invalid(`/data/relationships/${name}`, "can't be blank")] : errors;
  });
}

/** A team's access to a project, including the permissions that its level implies (interface, section 2.4). */
function teamProjectResource(grant: StoredGrant, dialect: Dialect): AnsweredResource {
  const groups: Record<PermissionGroup, Record<string, unknown>> = {
    'project-access': {},
    'workspace-access': {},
  };
  for (const { path, holder, name } of permissionPlaces[dialect])
    groups[holder][name] = grantedPermission(grant, path);
  return {
    id: grant.id,
    type: 'team-projects',
    attributes: { access: grant.access, ...groups },
    relationships: {
      team: { data: { id: grant.team, type: 'teams' }, links: { related: `/api/v2/teams/${grant.team}` } },
      project: {
        data: { id: grant.project, type: 'projects' },
        links: { related: `/api/v2/projects/${grant.project}` },
      },
    },
    links: { self: `/api/v2/team-projects/${grant.id}` },
  };
}

export const teamProjectRoutes: readonly Route[] = [
  ['GET', '/team-projects', getTeamProjects],
  ['GET', '/team-projects/:id', getTeamProject],
  ['POST', '/team-projects', postTeamProject],
  ['PATCH', '/team-projects/:id', patchTeamProject],
  ['DELETE', '/team-projects/:id', deleteTeamProject],
];
