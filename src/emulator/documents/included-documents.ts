import { isOwner, type RequestSender } from '../callers.ts';
import { bindingsInEffect } from '../rules/tag-rules.ts';
import type { StoredLock, StoredRun, StoredWorkspace } from '../store/records.ts';
import type { World } from '../world.ts';
import { type AnsweredResource, toOne } from './answered-resource.ts';
import { agentPoolResource, projectResource, teamResource } from './named-resources.ts';
import { organizationResource } from './organization-resource.ts';
import { readmeId, runRelatedIds } from './shown-workspace.ts';
import { bindingResource } from './tag-resources.ts';

/** The resources that `include` requests for a workspace (interface, section 4.8). */
export function includedDocuments(
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
