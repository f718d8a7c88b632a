import { workspaceAttributes } from '../../model/attribute-table.ts';
import { placesOf } from '../../model/rows.ts';
import { isRecord } from '../../model/value.ts';
import { readAttributes } from '../rules/read-attributes.ts';
import { initialValues, resolveWorkspace } from '../rules/resolve-workspace.ts';
import { createTags, storedTagName } from '../rules/tag-rules.ts';
import type { StoredEntity, StoredLock, StoredState, StoredWorkspace } from '../store/store.ts';
import type { SeedScope, WorkspaceSeed } from './seed.ts';

/** Workspaces may refer to each other as consumers, so all ids are assigned before the first workspace is built. */
export function seedWorkspaces(scope: SeedScope): void {
  const { world, organization, seed } = scope;
  const entries = Object.entries(seed.workspaces ?? {}).map(([name, content]) => ({
    base: scope.define('workspaces', name, content?.id),
    content: content ?? {},
  }));
  for (const { base, content } of entries) {
    const workspace = workspaceOf(scope, base, content);
    createTags(world, organization, workspace.tags);
    world.store.put('workspaces', workspace);
  }
}

function workspaceOf(scope: SeedScope, base: StoredEntity, content: WorkspaceSeed): StoredWorkspace {
  const { world, organization, idOf, refusal, retentionOf } = scope;
  const { id, name } = base;
  const { store } = world;
  const place = ['workspaces', name];
  if (store.get('workspaces', id)) throw refusal([...place, 'id'], `the id ${id} is used twice`);
  const { tags = [], run, readme = null, 'ssh-key': key, 'created-at': createdAt = world.now() } = content;
  const consumers = (content['remote-state-consumers'] ?? []).map((reference, index) => {
    const consumer = idOf('workspaces', reference, ...place, 'remote-state-consumers', index);
    if (consumer !== id) return consumer;
    throw refusal([...place, 'remote-state-consumers'], 'a workspace cannot be its own consumer');
  });
  const project =
    content.project === undefined
      ? (store.get('organizations', organization)?.defaultProject ?? '')
      : idOf('projects', content.project, ...place, 'project');
  return {
    ...base,
    project,
    attributes: attributesOf(scope, name, content, project),
    tags: [...new Set(tags.map((tag) => storedTagName(tag, world.dialect)))],
    bindings: content['tag-bindings'] ?? {},
    consumers,
    sshKey: key === undefined ? null : idOf('sshKeys', key, ...place, 'ssh-key'),
    lock: lockOf(content),
    retention: retentionOf(id, content['data-retention']),
    run: run
      ? {
          id: run.id ?? store.nextId('run', id),
          status: run.status ?? 'applied',
          createdAt: run['created-at'] ?? createdAt,
        }
      : null,
    state: stateOf(scope, id, content, createdAt),
    readme,
    createdAt,
    updatedAt: createdAt,
  };
}

function attributesOf(
  { world, organization, seed, idOf, refusal }: SeedScope,
  name: string,
  content: WorkspaceSeed,
  project: string,
) {
  const place = ['workspaces', name];
  const { 'agent-pool-id': pool, 'vcs-repo': repository } = content;
  const token = isRecord(repository) ? repository['oauth-token-id'] : undefined;
  // A seed with consumers, or that shares with the project, implies that the state is not shared with all.
  const isShared =
    content['remote-state-consumers'] !== undefined || content['project-remote-state'] === true;
  const attributes = {
    ...(isShared && { 'global-remote-state': false }),
    ...content,
    name,
    ...(typeof pool === 'string' && {
      'agent-pool-id': idOf('agentPools', pool, ...place, 'agent-pool-id'),
    }),
    ...(isRecord(repository) &&
      typeof token === 'string' &&
      seed['vcs-connections'] && {
        'vcs-repo': {
          ...repository,
          'oauth-token-id': idOf('vcsConnections', token, ...place, 'vcs-repo', 'oauth-token-id'),
        },
      }),
  };
  const given = readAttributes(attributes, 'iac', placesOf(workspaceAttributes, world.dialect, 'iac'));
  const own = initialValues(world, organization);
  const resolved = resolveWorkspace({ world, organization, project, own, given, creating: true });
  const [first] = resolved.errors;
  if (first) {
    const keys = (first.source?.pointer ?? '').split('/').slice(3);
    throw refusal(keys[0] === 'name' ? place : [...place, ...keys], first.detail ?? first.title);
  }
  return resolved.own;
}

const holders: Readonly<Record<string, StoredLock['by']['type']>> = { team: 'teams', run: 'runs' };

function lockOf({ locked }: WorkspaceSeed): StoredLock | null {
  if (!locked) return null;
  const { by = 'user-owner', reason = '' } = locked === true ? {} : locked;
  return { by: { type: holders[by.split('-')[0] ?? ''] ?? 'users', id: by }, reason };
}

function stateOf(
  { world }: SeedScope,
  workspace: string,
  content: WorkspaceSeed,
  createdAt: string,
): StoredState {
  const { state } = content;
  const { intermediate = 'none', processing = false, outputs = {} } = state ?? {};
  const { store } = world;
  return {
    id: state ? (state.id ?? store.nextId('sv', workspace)) : null,
    createdAt: state ? (state['created-at'] ?? createdAt) : null,
    resourceCount: content['resource-count'] ?? 0,
    intermediate,
    processing,
    outputs: Object.entries(outputs).map(([name, value]) => ({
      id: store.nextId('wsout', `${workspace}/${name}`),
      name,
      value,
      sensitive: false,
    })),
  };
}
