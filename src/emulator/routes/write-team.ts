import { isRecord } from '../../model/value.ts';
import { teamResource } from '../documents/named-resources.ts';
import { type Answer, invalid, json, noContent, refuseInvalid } from '../http/answer.ts';
import { pathPart, type Route, type ServiceRequest } from '../http/router.ts';
import { readResource } from '../rules/request-document.ts';
import { organizationAccess, readWrittenSettings, teamSettings } from '../rules/settings.ts';
import { idPrefixes } from '../seed/references.ts';
import type { StoredTeam } from '../store/records.ts';
import { findOwned, readName, refuseOthers } from './write-named.ts';

/** POST: 200, as documented */
function createTeam(request: ServiceRequest): Answer {
  const { store } = request.world;
  const organization = findOwned(request).id;
  const resolved = resolve(request, organization, undefined);
  const id = store.nextId(idPrefixes.teams, `${organization}/${resolved.name}`);
  return answer(request, { id, organization, ...resolved });
}

function updateTeam(request: ServiceRequest): Answer {
  const before = findTeam(request);
  return answer(request, { ...before, ...resolve(request, before.organization, before) });
}

function deleteTeam(request: ServiceRequest): Answer {
  const { store } = request.world;
  const team = findTeam(request);
  for (const grant of store.all('grants')) if (grant.team === team.id) store.remove('grants', grant.id);
  store.remove('teams', team.id);
  return noContent;
}

function findTeam(request: ServiceRequest): StoredTeam {
  const team = request.world.store.get('teams', pathPart(request, 'id'));
  refuseOthers(request, team);
  return team;
}

function answer(request: ServiceRequest, team: StoredTeam): Answer {
  request.world.store.put('teams', team);
  return json(200, { data: teamResource(request.world, team, request.caller) });
}

function resolve({ world, body }: ServiceRequest, organization: string, before: StoredTeam | undefined) {
  const resource = readResource(body, 'teams');
  const { name, errors } = readName(resource, {
    taken: world.store.all('teams').filter((team) => team.organization === organization),
    ...(before && { before }),
    pattern: /^[A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)*$/,
    detail: 'Name may only contain letters, numbers, spaces, -, and _',
  });
  const { visibility, 'organization-access': access } = resource.attributes;
  const settings = readWrittenSettings(teamSettings, resource.attributes, errors);
  if (visibility !== undefined && visibility !== 'secret' && visibility !== 'organization') {
    errors.push(invalid('/data/attributes/visibility', 'must be one of secret, organization'));
  }
  refuseInvalid(errors);
  const isOn = (permission: string): boolean => {
    const value = isRecord(access) ? access[permission] : undefined;
    return typeof value === 'boolean' ? value : (before?.organizationAccess?.includes(permission) ?? false);
  };
  return {
    name,
    secret: visibility === undefined ? (before?.secret ?? true) : visibility === 'secret',
    settings: { ...before?.settings, ...settings },
    organizationAccess: organizationAccess.filter(isOn),
  };
}

export const writeTeamRoutes: readonly Route[] = [
  ['POST', '/organizations/:organization/teams', createTeam],
  ['PATCH', '/teams/:id', updateTeam],
  ['DELETE', '/teams/:id', deleteTeam],
];
