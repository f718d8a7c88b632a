import { type PermissionGroup, permissionPlaces } from '../../model/permissions.ts';
import { hasProjectPermission, isMember, isOwner, type RequestSender, seesTeam } from '../callers.ts';
import { type AnsweredResource, linked, pageOf, toOne } from '../documents/resource.ts';
import { pathPart, type RouteSet, route, type ServiceRequest } from '../http/handle-request.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
  rejectInvalid,
} from '../http/responses.ts';
import {
  givenId,
  type InputResource,
  readResource,
  readResourceOfAnyType,
  relationErrors,
} from '../rules/request-document.ts';
import { grantedPermission, resolveAccess } from '../rules/resolve-access.ts';
import type { Store, StoredGrant, StoredProject, StoredTeam } from '../store/store.ts';
import { findProject, type Needed } from './finders.ts';

/*
 * Access of teams to projects (interface, section 4.9). Owners and project admins see and change all of it, teams with permission
 * to read it see all of it, and others see that of teams that they belong to.
 */

export const teamProjectRoutes: RouteSet = {
  interface: [
    ['GET', '/team-projects', listGrants],
    ['GET', '/team-projects/:id', (request) => answer(request, findGrant(request, 'read'))],
    ['POST', '/team-projects', createGrant],
    route('PATCH', '/team-projects/:id', (request) => {
      const before = findGrant(request, 'admin');
      const { attributes } = readResourceOfAnyType(request.body, 'team-projects');
      return saveGrant(request, { ...before, ...readAccess(request, attributes, before) });
    }),
    route('DELETE', '/team-projects/:id', (request) => {
      request.world.store.remove('grants', findGrant(request, 'admin').id);
      return noContent;
    }),
  ],
};

function listGrants(request: ServiceRequest): Answer {
  const { query, world } = request;
  const project = findProject(request, query.get('filter[project][id]') ?? '');
  const team = query.get('filter[team][id]');
  const grants = world.store
    .grantsOf(project.id)
    .filter((grant) => isVisible(request, project, grant) && (team === null || grant.team === team));
  return pageOf(request, grants, (grant) => grantResource(request, grant));
}

function createGrant(request: ServiceRequest): Answer {
  const { store } = request.world;
  const resource = readResource(request.body, 'team-projects');
  refuseInvalid([...relationshipErrors(resource, 'project'), ...relationshipErrors(resource, 'team')]);
  const access = readAccess(request, resource.attributes);
  const project = findProject(request, givenId(resource, 'project') ?? '');
  const team = store.get('teams', givenId(resource, 'team') ?? '');
  if (team?.organization !== project.organization || !mayGrantTo(request, team)) throw notFound();
  if (!administersProject(store, request.caller, project)) throw notFound();
  if (store.grantsOf(project.id).some((grant) => grant.team === team.id))
    throw rejectInvalid('/data/relationships/team', 'Team has already been added to this project');
  const id = store.nextId('tprj', `${project.id}/${team.id}`);
  return saveGrant(request, { id, project: project.id, team: team.id, ...access });
}

function readAccess(
  { world }: ServiceRequest,
  attributes: InputResource['attributes'],
  before?: StoredGrant,
) {
  const { access, errors } = resolveAccess({ before, attributes, dialect: world.dialect });
  refuseInvalid(errors);
  return access;
}

function saveGrant(request: ServiceRequest, grant: StoredGrant): Answer {
  request.world.store.put('grants', grant);
  return answer(request, grant);
}

function answer(request: ServiceRequest, grant: StoredGrant): Answer {
  return json(200, { data: grantResource(request, grant) });
}

function isVisible(request: ServiceRequest, project: StoredProject, grant: StoredGrant): boolean {
  const { world, caller } = request;
  if (caller.teams.includes(grant.team)) return true;
  const team = world.store.get('teams', grant.team);
  const readsAll =
    isOwner(caller, project.organization) ||
    hasProjectPermission(world.store, caller, project.id, 'project-access.teams', 'read');
  return readsAll && (team === undefined || mayGrantTo(request, team));
}

/** On the live service, a project admin who is not an owner does not see secret teams, nor their access. */
function mayGrantTo({ world, caller }: ServiceRequest, team: StoredTeam): boolean {
  return world.dialect === 'iac' || seesTeam(world.store, caller, team);
}

function findGrant(request: ServiceRequest, needed: Needed): StoredGrant {
  const { store } = request.world;
  const grant = store.get('grants', pathPart(request, 'id'));
  if (!grant) throw notFound();
  const project = findProject(request, grant.project);
  const isFound =
    isVisible(request, project, grant) &&
    (needed === 'read' || administersProject(store, request.caller, project));
  if (!isFound) throw notFound();
  return grant;
}

function administersProject(store: Store, caller: RequestSender, { id, organization }: StoredProject) {
  if (isOwner(caller, organization)) return true;
  const isAdmin = hasProjectPermission(store, caller, id, 'project-access.teams', 'manage');
  return isAdmin && isMember(caller, organization);
}

function relationshipErrors(resource: InputResource, name: 'project' | 'team'): readonly ErrorObject[] {
  const errors = relationErrors(resource, name, `${name}s`);
  const isBlank = errors.length === 0 && givenId(resource, name) === undefined;
  return isBlank ? [invalid(`/data/relationships/${name}`, "can't be blank")] : errors;
}

function grantResource({ world }: ServiceRequest, grant: StoredGrant): AnsweredResource {
  const groups: Record<PermissionGroup, Record<string, unknown>> = {
    'project-access': {},
    'workspace-access': {},
  };
  for (const { path, holder, name } of permissionPlaces[world.dialect])
    groups[holder][name] = grantedPermission(grant, path);
  return {
    id: grant.id,
    type: 'team-projects',
    attributes: { access: grant.access, ...groups },
    relationships: {
      team: { ...toOne('teams', grant.team), ...linked(`/api/v2/teams/${grant.team}`) },
      project: { ...toOne('projects', grant.project), ...linked(`/api/v2/projects/${grant.project}`) },
    },
    links: { self: `/api/v2/team-projects/${grant.id}` },
  };
}
