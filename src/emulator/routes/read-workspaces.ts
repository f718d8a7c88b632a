import { compareTexts } from '../../model/value.ts';
import { managesWorkspaces, workspaceAccess } from '../callers.ts';
import {
  type AnsweredResource,
  bindingResource,
  idTail,
  pageOf,
  readInclude,
  toOne,
  withIncluded,
  words,
} from '../documents/resource.ts';
import { latestChangeAt, shownWorkspace } from '../documents/shown-workspace.ts';
import type { RouteSet, ServiceRequest } from '../http/handle-request.ts';
import { type Answer, json, reject } from '../http/responses.ts';
import { bindingsInEffect, workspaceFilter } from '../rules/tag-rules.ts';
import type { Store, StoredLock, StoredWorkspace } from '../store/store.ts';
import { onNamedWorkspace, onOrganization } from './finders.ts';
import { namedResource } from './named.ts';
import { agentPools, teams } from './named-kinds.ts';
import { organizationResource } from './organizations.ts';
import { projectResource } from './projects.ts';

export const readWorkspaceRoutes: RouteSet = {
  interface: [
    onOrganization('GET', '/workspaces', 'read', (request, { id }) => listWorkspaces(request, id)),
    ...onNamedWorkspace('GET', '', 'read', (request, workspace) => {
      const { world, caller, query } = request;
      const names = readInclude(query, includeNames[world.dialect]);
      const data = shownWorkspace(world, workspace, caller, names);
      const along = withIncluded(request, [workspace], (one) => includedIn(request, one, names));
      return json(200, { data, ...along });
    }),
  ],
};

function listWorkspaces(request: ServiceRequest, organization: string): Answer {
  const { world, caller, query } = request;
  const names = readInclude(query, includeNames[world.dialect]);
  const filter = workspaceFilter(query, world);
  let workspaces = orderedWorkspaces(world.store, organization, query.get('sort'));
  if (!managesWorkspaces(caller, organization))
    workspaces = workspaces.filter((workspace) => workspaceAccess(caller, workspace) !== 'none');
  if (filter) workspaces = workspaces.filter(filter);
  return pageOf(
    request,
    workspaces,
    (workspace) => shownWorkspace(world, workspace, caller, names),
    (workspace) => includedIn(request, workspace, names),
  );
}

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

function orderedWorkspaces(store: Store, organization: string, sort: string | null): StoredWorkspace[] {
  const ordered = store.ownedBy(organization, 'workspaces');
  if (!sort) return ordered;
  const key = sort.replace(/^-/, '');
  const textOf = orders.get(key);
  if (!textOf) throw reject(400, `Invalid sort parameter: ${key}`);
  ordered.sort((a, b) => compareTexts(textOf(a), textOf(b)));
  return sort.startsWith('-') ? ordered.reverse() : ordered;
}

const orders: ReadonlyMap<string, (workspace: StoredWorkspace) => string> = new Map([
  ['name', ({ name }) => name],
  ['current-run.created-at', ({ run }) => run?.createdAt ?? ''],
  ['latest-change-at', latestChangeAt],
]);

function includedIn(request: ServiceRequest, workspace: StoredWorkspace, names: readonly string[]) {
  return names.flatMap((name) => [...included(request, workspace, name)]);
}

/** A dotted name also includes the resources on its path. */
function* included(
  request: ServiceRequest,
  workspace: StoredWorkspace,
  name: string,
): Generator<AnsweredResource> {
  const { store } = request.world;
  const { id, run, lock, readme, state } = workspace;
  switch (name) {
    case 'organization': {
      const organization = store.get('organizations', workspace.organization);
      if (organization) yield organizationResource(request, organization);
      break;
    }
    case 'project': {
      const project = store.get('projects', workspace.project);
      if (project) yield projectResource(request, project);
      break;
    }
    case 'locked_by':
      if (lock) yield holderResource(request, lock);
      break;
    case 'readme':
      if (readme !== null)
        yield {
          id: `readme-${idTail(id)}`,
          type: 'workspace-readme',
          attributes: { 'raw-markdown': readme },
        };
      break;
    case 'outputs':
      for (const { id, name, value, sensitive } of state.outputs) {
        const type = Array.isArray(value) ? 'array' : typeof value;
        yield { id, type: 'workspace-outputs', attributes: { name, value, sensitive, 'output-type': type } };
      }
      break;
    case 'agent_pool': {
      const pool = store.get('agentPools', String(workspace.attributes['agent-pool-id']));
      if (pool) yield namedResource(agentPools, request, pool);
      break;
    }
    case 'effective_tag_bindings':
      for (const binding of bindingsInEffect(store, workspace))
        yield bindingResource(binding, 'effective-tag-bindings');
      break;
    case 'current_state_version':
    case 'current-state-version':
      if (state.id) {
        const attributes = { 'created-at': state.createdAt, status: 'finalized' };
        yield { id: state.id, type: 'state-versions', attributes };
      }
      break;
    default:
      if (run) yield* runResources(run, name);
  }
}

function* runResources(run: NonNullable<StoredWorkspace['run']>, name: string): Generator<AnsweredResource> {
  const tail = idTail(run.id);
  const [configuration, ingress, plan] = [`cv-${tail}`, `ia-${tail}`, `plan-${tail}`];
  if (name.startsWith('current_run') || name === 'latest_run') {
    yield {
      id: run.id,
      type: 'runs',
      attributes: { status: run.status, 'created-at': run.createdAt },
      relationships: {
        plan: toOne('plans', plan),
        'configuration-version': toOne('configuration-versions', configuration),
      },
    };
  }
  if (name === 'current_run.plan') yield { id: plan, type: 'plans', attributes: { status: 'finished' } };
  if (name.includes('configuration_version')) {
    yield {
      id: configuration,
      type: 'configuration-versions',
      attributes: { status: 'uploaded' },
      relationships: { 'ingress-attributes': toOne('ingress-attributes', ingress) },
    };
  }
  if (name.endsWith('ingress_attributes')) yield { id: ingress, type: 'ingress-attributes', attributes: {} };
}

function holderResource(request: ServiceRequest, { by }: StoredLock): AnsweredResource {
  const team = by.type === 'teams' ? request.world.store.get('teams', by.id) : undefined;
  if (team) return namedResource(teams, request, team);
  return { ...by, attributes: by.type === 'users' ? { username: idTail(by.id) } : {} };
}
