import { workspaceAttributes } from '../../model/attribute-table.ts';
import { placesOf } from '../../model/rows.ts';
import { isRecord } from '../../model/value.ts';
import type { ErrorObject } from '../http/responses.ts';
import { readAttributes } from '../rules/read-attributes.ts';
import { resolveAccess } from '../rules/resolve-access.ts';
import { initialValues, resolveWorkspace } from '../rules/resolve-workspace.ts';
import { projectSettings, writtenSettings } from '../rules/settings.ts';
import { createTags, storedTagName } from '../rules/tag-rules.ts';
import type {
  Collections,
  StoredEntity,
  StoredLock,
  StoredOrganization,
  StoredWorkspace,
} from '../store/store.ts';
import {
  createSeedScope,
  type idPrefixes,
  type Named,
  type ProjectSeed,
  type SeedScope,
  type WorkspaceSeed,
} from './seed.ts';

const latestVersion = '1.13.0';

export function seedOrganization(input: Parameters<typeof createSeedScope>[0]): void {
  const scope = createSeedScope(input);
  const { world, seed } = scope;
  const createdAt = world.now();
  seedNamed(scope, 'agentPools', seed['agent-pools']);
  seedNamed(scope, 'projects', seed.projects, (extra, { name }) => ({
    settings: seededSettings(scope, name, extra),
    bindings: extra['tag-bindings'] ?? {},
    ...projectExecution(scope, name, extra),
    stacks: extra.stacks,
    createdAt,
  }));
  seedNamed(scope, 'teams', seed.teams, (extra) => ({
    settings: { visibility: extra.secret ? 'secret' : 'organization' },
    organizationAccess: extra['organization-access'] ?? [],
  }));
  seedNamed(scope, 'sshKeys', seed['ssh-keys']);
  seedNamed(scope, 'vcsConnections', seed['vcs-connections'], (extra, { id }) => ({
    client: extra.client ?? id.replace(/^ot-/, 'oc-'),
    provider: extra.provider ?? 'github',
  }));
  world.store.put('organizations', settings(scope));
  seedWorkspaces(scope);
  seedTeamAccess(scope);
}

type NamedKind = Exclude<keyof typeof idPrefixes, 'workspaces'>;

function seedNamed<Kind extends NamedKind, Extra>(
  { world, refusal, define }: SeedScope,
  kind: Kind,
  named: Named<Extra> = {},
  more: (extra: Partial<Extra>, base: { readonly id: string; readonly name: string }) => object = () => ({}),
): void {
  for (const [name, value] of Object.entries(named)) {
    const extra: { readonly id?: string } = typeof value === 'object' && value !== null ? value : {};
    const base = define(kind, name, typeof value === 'string' ? value : extra.id);
    if (world.store.get(kind, base.id)) throw refusal([name], `the id ${base.id} is used twice`);
    const record = { ...base, ...more(extra as Partial<Extra>, base) };
    world.store.put(kind, record as unknown as Collections[Kind]);
  }
}

function seededSettings({ refusal }: SeedScope, name: string, extra: ProjectSeed) {
  const errors: ErrorObject[] = [];
  const settings = writtenSettings(projectSettings, extra, errors);
  const [first] = errors;
  if (first === undefined) return settings;
  const [, , key = ''] = (first.source?.pointer ?? '').split('/').slice(1);
  throw refusal(['projects', name, key], first.detail ?? first.title);
}

function projectExecution({ idOf, refusal }: SeedScope, name: string, extra: ProjectSeed) {
  const { 'default-execution-mode': mode, 'default-agent-pool': pool } = extra;
  const place = ['projects', name, 'default-agent-pool'];
  if ((mode === 'agent') !== (pool !== undefined))
    throw refusal(place, 'default-execution-mode: agent and default-agent-pool require each other');
  if (mode === undefined) return {};
  return { executionMode: mode, agentPool: pool === undefined ? null : idOf('agentPools', pool, ...place) };
}

function settings(scope: SeedScope): StoredOrganization {
  const { world, organization, seed, idOf, retentionOf } = scope;
  const given = seed.settings ?? {};
  const pool = given['default-agent-pool'];
  return {
    id: organization,
    defaultProject: defaultProject(scope),
    defaultAgentPool: pool === undefined ? null : idOf('agentPools', pool, 'settings', 'default-agent-pool'),
    // Self-hosted deployments share state with all workspaces unless their administrators choose otherwise.
    globalRemoteState:
      given['global-remote-state'] ?? (world.dialect === 'terraform' && world.edition === 'self-hosted'),
    latestVersion: given['iac-version'] ?? latestVersion,
    retention: retentionOf(organization, given['data-retention']),
    createdAt: world.now(),
    settings: {
      'default-execution-mode': given['default-execution-mode'] ?? 'remote',
      'allow-force-delete-workspaces': given['allow-force-delete'] ?? false,
      'assessments-enforced': given['assessments-enforced'] ?? false,
      'recoverable-items-enabled': given['recoverable-items-enabled'] ?? false,
    },
  };
}

const defaultName = 'Default Project';

function defaultProject({ world, seed, idOf, define }: SeedScope): string {
  const named = seed.settings?.['default-project'];
  if (named !== undefined) return idOf('projects', named, 'settings', 'default-project');
  if (seed.projects && defaultName in seed.projects)
    return idOf('projects', defaultName, 'projects', defaultName);
  const record = define('projects', defaultName);
  world.store.put('projects', { ...record, createdAt: world.now() });
  return record.id;
}

function seedTeamAccess(scope: SeedScope): void {
  const { world, seed, idOf, refusal } = scope;
  const { store, dialect } = world;
  for (const [projectName, teams] of Object.entries(seed['team-access'] ?? {})) {
    const path = ['team-access', projectName];
    const project = idOf('projects', projectName, ...path);
    for (const [teamName, value] of Object.entries(teams)) {
      const place = [...path, teamName];
      const team = idOf('teams', teamName, ...place);
      const attributes = typeof value === 'string' ? { access: value } : value;
      // Seeds use the neutral names in every dialect.
      const { access, errors } = resolveAccess({ before: undefined, attributes, dialect, names: 'iac' });
      if (errors.length > 0) {
        const problems = errors.map(
          ({ source, detail, title }) => `${source?.pointer ?? ''} ${detail ?? title}`,
        );
        throw refusal(place, problems.join('; '));
      }
      if (store.grantsOf(project).some((grant) => grant.team === team))
        throw refusal(place, 'duplicate access of this team');
      store.put('grants', { id: store.nextId('tprj', `${project}/${team}`), project, team, ...access });
    }
  }
}

/** Workspaces may refer to each other as consumers, so all ids are assigned before the first workspace is built. */
function seedWorkspaces(scope: SeedScope): void {
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

function attributesOf(scope: SeedScope, name: string, content: WorkspaceSeed, project: string) {
  const { world, organization, seed, idOf, refusal } = scope;
  const place = ['workspaces', name];
  const { 'agent-pool-id': pool, 'vcs-repo': repository } = content;
  const token = isRecord(repository) ? repository['oauth-token-id'] : undefined;
  // A seed with consumers, or that shares with the project, implies that the state is not shared with all.
  const isShared =
    content['remote-state-consumers'] !== undefined || content['project-remote-state'] === true;
  const attributes = {
    'global-remote-state': isShared ? false : undefined,
    ...content,
    name,
    'agent-pool-id': typeof pool === 'string' ? idOf('agentPools', pool, ...place, 'agent-pool-id') : pool,
    'vcs-repo':
      isRecord(repository) && typeof token === 'string' && seed['vcs-connections']
        ? {
            ...repository,
            'oauth-token-id': idOf('vcsConnections', token, ...place, 'vcs-repo', 'oauth-token-id'),
          }
        : repository,
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
): StoredWorkspace['state'] {
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
