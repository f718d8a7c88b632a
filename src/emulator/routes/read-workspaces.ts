import { compareTexts } from '../../model/value.ts';
import { managesWorkspaces, workspaceAccess } from '../callers.ts';
import { words } from '../documents/answered-resource.ts';
import { includedDocuments } from '../documents/included-documents.ts';
import { pageOf, readInclude, withIncluded } from '../documents/pages.ts';
import { latestChangeAt, shownWorkspace } from '../documents/shown-workspace.ts';
import { type Answer, json, reject } from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { workspaceFilter } from '../rules/workspace-filter.ts';
import type { StoredWorkspace } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { findRequestedOrganization, findRequestedWorkspace, onNamedWorkspace } from './find-requested.ts';

/** GET /organizations/:organization/workspaces, with every parameter of section 4.1 */
function getWorkspaces(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const organization = findRequestedOrganization(request);
  const names = readInclude(query, includeNames[world.dialect]);
  const filter = workspaceFilter(query, world);
  let workspaces = orderedWorkspaces(world.store, organization.id, query.get('sort'));
  if (!managesWorkspaces(caller, organization.id)) {
    workspaces = workspaces.filter((workspace) => workspaceAccess(caller, workspace) !== 'none');
  }
  if (filter) workspaces = workspaces.filter(filter);
  return pageOf(
    request,
    workspaces,
    (workspace) => shownWorkspace(world, workspace, caller, names),
    (workspace) => includedDocuments(world, caller, workspace, names),
  );
}

/** GET /workspaces/:workspace_id and its name-based form */
function getWorkspace(request: ServiceRequest): Answer {
  const { world, caller, query } = request;
  const workspace = findRequestedWorkspace(request, 'read');
  const names = readInclude(query, includeNames[world.dialect]);
  const data = shownWorkspace(world, workspace, caller, names);
  const include = () => includedDocuments(world, caller, workspace, names);
  return json(200, { data, ...withIncluded(request, [workspace], include) });
}

/** The values of `include` on workspaces (interface, section 4.8). */
const commonNames = words(`
  current_configuration_version current_configuration_version.ingress_attributes current_run
  current_run.configuration_version current_run.configuration_version.ingress_attributes current_run.plan
  locked_by organization outputs project readme
`);

const includeNames = {
  iac: commonNames,
  // Further values that the live service accepts.
  terraform: words(`
    ${commonNames.join(' ')} agent_pool current_state_version current-state-version
    current_assessment_result effective_tag_bindings latest_run vars
  `),
};

const byTime = {
  'current-run.created-at': (workspace: StoredWorkspace) => workspace.run?.createdAt ?? '',
  'latest-change-at': latestChangeAt,
} as const;

/** All workspaces of the organization in the order of `sort`; a leading `-` reverses it. */
function orderedWorkspaces(store: Store, organization: string, sort: string | null): StoredWorkspace[] {
  if (!sort) return store.workspaces.all(organization);
  const [key, reversed] = sort.startsWith('-') ? [sort.slice(1), true] : [sort, false];
  const ordered = ascending(store, organization, key);
  return reversed ? ordered.reverse() : ordered;
}

function ascending(store: Store, organization: string, key: string): StoredWorkspace[] {
  if (key === 'name') return store.workspaces.sortedByName(organization);
  if (key !== 'current-run.created-at' && key !== 'latest-change-at') {
    throw reject(400, `Invalid sort parameter: ${key}`);
  }
  const time = byTime[key];
  return store.workspaces.all(organization).sort((a, b) => compareTexts(time(a), time(b)));
}

export const readWorkspaceRoutes: readonly Route[] = [
  ['GET', '/organizations/:organization/workspaces', getWorkspaces],
  ...onNamedWorkspace('GET', '', getWorkspace),
];
