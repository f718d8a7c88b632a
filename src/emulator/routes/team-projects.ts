import type { Dialect } from '../../model/dialect.ts';
import { type PermissionGroup, permissionPlaces } from '../../model/permissions.ts';
import { administersProject, type RequestSender, seesTeam } from '../callers.ts';
import type { AnsweredResource } from '../documents/answered-resource.ts';
import { pageOf } from '../documents/pages.ts';
import {
  type Answer,
  type ErrorObject,
  invalid,
  json,
  noContent,
  notFound,
  refuseInvalid,
} from '../http/responses.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import {
  givenId,
  type InputResource,
  readResource,
  readResourceOfAnyType,
  relationErrors,
} from '../rules/request-document.ts';
import { grantedPermission, resolveAccess } from '../rules/resolve-access.ts';
import type { StoredGrant, StoredProject, StoredTeam } from '../store/records.ts';
import type { World } from '../world.ts';
import { findVisibleProject } from './find-requested.ts';

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
