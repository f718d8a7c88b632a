import { isMember, isOwner } from '../callers.ts';
import { nameFilter, pageOf } from '../documents/list.ts';
import { projectResource } from '../documents/named-resources.ts';
import { entitlementResource, organizationResource } from '../documents/organization.ts';
import { tagJson } from '../documents/tags.ts';
import { type Answer, json } from '../http/answer.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { findRequestedOrganization } from './find.ts';

function listOrganizations(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const filter = nameFilter(query);
  const visible = world.store
    .all('organizations')
    .filter(
      ({ id, settings }) => isMember(caller, id) && (filter(id) || filter(String(settings?.email ?? ''))),
    );
  return pageOf(request, visible, (organization) =>
    JSON.stringify(organizationResource(world, organization, isOwner(caller, organization.id))),
  );
}

function showOrganization(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const organization = findRequestedOrganization(request);
  const names = (query.get('include') ?? '').split(',');
  const project = world.store.get('projects', organization.defaultProject);
  const included = [
    ...(names.includes('entitlement_set') ? [entitlementResource(organization)] : []),
    ...(project && names.some((name) => name.replace('-', '_') === 'default_project')
      ? [projectResource(world, project, caller)]
      : []),
  ];
  return json(200, {
    data: organizationResource(world, organization, isOwner(caller, organization.id)),
    ...(included.length > 0 && { included }),
  });
}

/** All tags of the organization's workspaces. */
function listOrganizationTags(request: ServiceRequest): Answer {
  const { world, query } = request;
  const organization = findRequestedOrganization(request);
  const filter = nameFilter(query);
  const tags = world.store
    .all('tags')
    .filter((tag) => tag.organization === organization.id && filter(tag.name));
  return pageOf(request, tags, (tag) => tagJson(world, tag));
}

export const organizationRoutes: readonly Route[] = [
  ['GET', '/organizations', listOrganizations],
  ['GET', '/organizations/:organization', showOrganization],
  [
    'GET',
    '/organizations/:organization/entitlement-set',
    (request) => json(200, { data: entitlementResource(findRequestedOrganization(request)) }),
  ],
  ['GET', '/organizations/:organization/tags', listOrganizationTags],
];
