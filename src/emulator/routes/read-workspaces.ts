import { compareTexts } from '../../model/value.ts';
import { isOwner, managesWorkspaces, type RequestSender, workspaceAccess } from '../callers.ts';
import { type AnsweredResource, toOne, words } from '../documents/answered-resource.ts';
import { agentPoolResource, projectResource, teamResource } from '../documents/named-resources.ts';
import { organizationResource } from '../documents/organization-resource.ts';
import { pageOf, readInclude, withIncluded } from '../documents/pages.ts';
import { latestChangeAt, readmeId, runRelatedIds, shownWorkspace } from '../documents/shown-workspace.ts';
import { bindingResource } from '../documents/tag-resources.ts';
import { type Answer, json, reject } from '../http/responses.ts';
import type { Route, ServiceRequest } from '../http/router.ts';
import { bindingsInEffect } from '../rules/tag-rules.ts';
import { workspaceFilter } from '../rules/workspace-filter.ts';
import type { StoredLock, StoredRun, StoredWorkspace } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { World } from '../world.ts';
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

/** The resources that `include` requests for a workspace (interface, section 4.8). */
function includedDocuments(
  world: World,
  caller: RequestSender,
  workspace: StoredWorkspace,
  names: readonly string[],
): AnsweredResource[] {
  return names.flatMap((name) => [...include(world, caller, workspace, name)]);
}

/** A dotted name also includes the resources on its path. */
function* include(
  world: World,
  caller: RequestSender,
  workspace: StoredWorkspace,
  name: string,
): Generator<AnsweredResource> {
  const { store } = world;
  const { run } = workspace;
  switch (name) {
    case 'organization': {
      const organization = store.get('organizations', workspace.organization);
      if (organization) yield organizationResource(world, organization, isOwner(caller, organization.id));
      break;
    }
    case 'project': {
      const project = store.get('projects', workspace.project);
      if (project) yield projectResource(world, project, caller);
      break;
    }
    case 'locked_by':
      if (workspace.lock) yield holderResource(world, workspace.lock, caller);
      break;
    case 'readme':
      if (workspace.readme !== null) yield readmeResource(workspace.id, workspace.readme);
      break;
    case 'outputs':
      yield* outputResources(workspace);
      break;
    case 'agent_pool': {
      const pool = store.get('agentPools', String(workspace.attributes['agent-pool-id']));
      if (pool) yield agentPoolResource(world, pool);
      break;
    }
    case 'effective_tag_bindings':
      for (const binding of bindingsInEffect(store, workspace))
        yield bindingResource(binding, 'effective-tag-bindings');
      break;
    case 'current_state_version':
    case 'current-state-version':
      if (workspace.state.id) yield stateVersionResource(workspace.state.id, workspace.state.createdAt);
      break;
    default:
      if (run) yield* runResources(run, name);
  }
}

function* runResources(run: StoredRun, name: string): Generator<AnsweredResource> {
  const ids = runRelatedIds(run);
  if (name.startsWith('current_run') || name === 'latest_run') {
    yield {
      id: run.id,
      type: 'runs',
      attributes: { status: run.status, 'created-at': run.createdAt },
      relationships: {
        plan: toOne('plans', ids.plan),
        'configuration-version': toOne('configuration-versions', ids.configurationVersion),
      },
    };
  }
  if (name === 'current_run.plan') yield { id: ids.plan, type: 'plans', attributes: { status: 'finished' } };
  if (name.includes('configuration_version')) {
    yield {
      id: ids.configurationVersion,
      type: 'configuration-versions',
      attributes: { status: 'uploaded' },
      relationships: { 'ingress-attributes': toOne('ingress-attributes', ids.ingressAttributes) },
    };
  }
  if (name.endsWith('ingress_attributes')) {
    yield { id: ids.ingressAttributes, type: 'ingress-attributes', attributes: {} };
  }
}

function* outputResources({ state }: StoredWorkspace): Generator<AnsweredResource> {
  for (const { id, name, value, sensitive } of state.outputs) {
    const type = Array.isArray(value) ? 'array' : typeof value;
    yield { id, type: 'workspace-outputs', attributes: { name, value, sensitive, 'output-type': type } };
  }
}

function holderResource(world: World, { by }: StoredLock, caller: RequestSender): AnsweredResource {
  const team = by.type === 'teams' ? world.store.get('teams', by.id) : undefined;
  if (team) return teamResource(world, team, caller);
  return { ...by, attributes: by.type === 'users' ? { username: by.id.slice(by.id.indexOf('-') + 1) } : {} };
}

function readmeResource(workspace: string, text: string): AnsweredResource {
  return { id: readmeId(workspace), type: 'workspace-readme', attributes: { 'raw-markdown': text } };
}

function stateVersionResource(id: string, createdAt: string | null): AnsweredResource {
  return { id, type: 'state-versions', attributes: { 'created-at': createdAt, status: 'finalized' } };
}
