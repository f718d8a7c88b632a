import { managesWorkspaces, workspaceAccess } from '../callers.ts';
import { includedResources } from '../documents/included.ts';
import { pageOf } from '../documents/list.ts';
import { workspaceJson } from '../documents/workspace.ts';
import type { Answer } from '../http/answer.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { readInclude } from '../rules/include.ts';
import { workspaceFilter } from '../rules/workspace-filter.ts';
import { orderedWorkspaces } from '../rules/workspace-order.ts';
import { findOrganization } from './find-organization.ts';

/** GET /organizations/:organization/workspaces, with every parameter of section 4.1 */
export function listWorkspaces(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const organization = findOrganization(request);
  const names = readInclude(query, world.dialect);
  const filter = workspaceFilter(query, world);
  let workspaces = orderedWorkspaces(world.store, organization.id, query.get('sort'));
  if (!managesWorkspaces(caller, organization.id)) {
    workspaces = workspaces.filter((workspace) => workspaceAccess(caller, workspace) !== 'none');
  }
  if (filter) workspaces = workspaces.filter(filter);
  return pageOf(
    request,
    workspaces,
    (workspace) => workspaceJson(world, workspace, caller, names),
    (shown) =>
      names.length === 0
        ? ''
        : `"included":${JSON.stringify(includedResources(world, caller, shown, names))},`,
  );
}
