import { workspaceAttributes } from '../../model/attribute-table.ts';
import { attributePaths } from '../../model/attributes.ts';
import { placesOf } from '../../model/rows.ts';
import { isRecord } from '../../model/value.ts';
import { readAttributes } from '../rules/read-attributes.ts';
import { initialValues, resolveWorkspace } from '../rules/resolve-workspace.ts';
import { createTags, storedTagName } from '../rules/tag-rules.ts';
import type { StoredLock, StoredRun, StoredState, StoredWorkspace } from '../store/records.ts';
import type { SeedPath, WorkspaceSeed } from './seed.ts';
import { idPrefixes, retentionDays, type SeedScope } from './seed-scope.ts';

/** Workspaces may refer to each other as consumers, so all ids are assigned before the first workspace is built. */
export function seedWorkspaces(scope: SeedScope): void {
  const { world, organization, seed } = scope;
  const entries = Object.entries(seed.workspaces ?? {}).map(([name, content]) => {
    const id = content?.id ?? world.store.nextId(idPrefixes.workspaces, `${organization}/${name}`);
    scope.add('workspaces', { id, organization, name });
    return { id, name, content: content ?? {} };
  });
  for (const { id, name, content } of entries) {
    const workspace = workspaceOf(scope, { id, name, content });
    createTags(world, organization, workspace.tags);
    world.store.put('workspaces', workspace);
  }
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly content: WorkspaceSeed;
}

function workspaceOf(scope: SeedScope, { id, name, content }: Entry): StoredWorkspace {
  const { world, organization, idOf, refusal } = scope;
  const path: SeedPath = [...scope.path, 'workspaces', name];
  if (world.store.get('workspaces', id)) throw refusal([...path, 'id'], `the id ${id} is used twice`);
  const record = world.store.get('organizations', organization);
  const createdAt = content['created-at'] ?? world.now();
  const consumers = (content['remote-state-consumers'] ?? []).map((reference, index) => {
    const consumer = idOf('workspaces', reference, [...path, 'remote-state-consumers', index]);
    if (consumer === id)
      throw refusal([...path, 'remote-state-consumers'], 'a workspace cannot be its own consumer');
    return consumer;
  });
  const project =
    content.project === undefined
      ? (record?.defaultProject ?? '')
      : idOf('projects', content.project, [...path, 'project']);
  const key = content['ssh-key'];
  const retention = content['data-retention'];
  return {
    id,
    organization,
    name,
    project,
    attributes: attributesOf(scope, { id, name, content, project }, path),
    tags: [...new Set((content.tags ?? []).map((tag) => storedTagName(tag, world.dialect)))],
    bindings: content['tag-bindings'] ?? {},
    consumers,
    sshKey: key === undefined ? null : idOf('sshKeys', key, [...path, 'ssh-key']),
    lock: lockOf(content),
    retention: retention ? { id: world.store.nextId('drp', id), days: retentionDays(retention) } : null,
    run: runOf(scope, id, content, createdAt),
    state: stateOf(scope, id, content, createdAt),
    readme: content.readme ?? null,
    createdAt,
    updatedAt: createdAt,
  };
}

/** Applies the rules of a create to the attributes, after names are resolved to ids. */
function attributesOf(
  { world, organization, seed, idOf, refusal }: SeedScope,
  { content, name, project }: Entry & { readonly project: string },
  path: SeedPath,
) {
  const pool = content['agent-pool-id'];
  const repository = content['vcs-repo'];
  const token = isRecord(repository) ? repository['oauth-token-id'] : undefined;
  const resolvable = seed['vcs-connections'] !== undefined;
  const attributes = {
    // A seed with consumers, or that shares with the project, implies that the state is not shared with all.
    ...((content['remote-state-consumers'] !== undefined || content['project-remote-state'] === true) && {
      'global-remote-state': false,
    }),
    ...content,
    name,
    ...(typeof pool === 'string' && {
      'agent-pool-id': idOf('agentPools', pool, [...path, 'agent-pool-id']),
    }),
    ...(isRecord(repository) &&
      typeof token === 'string' &&
      resolvable && {
        'vcs-repo': {
          ...repository,
          'oauth-token-id': idOf('vcsConnections', token, [...path, 'vcs-repo', 'oauth-token-id']),
        },
      }),
  };
  for (const attribute of attributePaths) {
    const { only = world.dialect } = workspaceAttributes[attribute];
    if (only === world.dialect || !(attribute in content)) continue;
    throw refusal([...path, attribute], `only services of the ${only} dialect have this attribute`);
  }
  const given = readAttributes(attributes, 'iac', placesOf(workspaceAttributes, world.dialect, 'iac'));
  const own = initialValues(world, organization);
  const resolved = resolveWorkspace({ world, organization, project, own, given, creating: true });
  const [first] = resolved.errors;
  if (first) {
    const keys = (first.source?.pointer ?? '').split('/').slice(3);
    const place = keys[0] === 'name' ? path : [...path, ...keys];
    throw refusal(place, first.detail ?? first.title);
  }
  return resolved.own;
}

const holders: Readonly<Record<string, StoredLock['by']['type']>> = { team: 'teams', run: 'runs' };

function lockOf({ locked }: WorkspaceSeed): StoredLock | null {
  if (!locked) return null;
  const { by = 'user-owner', reason = '' } = locked === true ? {} : locked;
  return { by: { type: holders[by.split('-')[0] ?? ''] ?? 'users', id: by }, reason };
}

function runOf(
  { world }: SeedScope,
  workspace: string,
  { run }: WorkspaceSeed,
  createdAt: string,
): StoredRun | null {
  if (!run) return null;
  return {
    id: run.id ?? world.store.nextId('run', workspace),
    status: run.status ?? 'applied',
    createdAt: run['created-at'] ?? createdAt,
  };
}

function stateOf(
  { world }: SeedScope,
  workspace: string,
  content: WorkspaceSeed,
  createdAt: string,
): StoredState {
  const { state } = content;
  const exists = state !== undefined;
  return {
    id: exists ? (state.id ?? world.store.nextId('sv', workspace)) : null,
    createdAt: exists ? (state['created-at'] ?? createdAt) : null,
    resourceCount: content['resource-count'] ?? 0,
    intermediate: state?.intermediate ?? 'none',
    processing: state?.processing ?? false,
    outputs: Object.entries(state?.outputs ?? {}).map(([name, value]) => ({
      id: world.store.nextId('wsout', `${workspace}/${name}`),
      name,
      value,
      sensitive: false,
    })),
  };
}
