import type { ResourceType } from '../../src/cdktf/places.ts';
import { documentedResources } from './documented-arguments.ts';
import { type Exchanged, type ExchangedObject, isUnknown } from './provider-values.ts';
import { type ProviderService, readResource, type ServiceObject, send } from './read-resource.ts';

export interface ApplyRequest {
  readonly type: ResourceType;
  /** Null on create. */
  readonly prior: ExchangedObject | null;
  readonly planned: ExchangedObject;
  readonly config: ExchangedObject;
}

/** Sends what the provider sends for a planned resource to a service of the `terraform` dialect, and reads it again. */
export async function applyResource(
  { type, prior, planned, config }: ApplyRequest,
  service: ProviderService,
): Promise<ExchangedObject | null> {
  const known = Object.fromEntries(
    Object.keys(documentedResources[type].arguments).map((name) => [
      name,
      isUnknown(planned[name]) ? null : planned[name],
    ]),
  );
  const state = { ...planned, ...known };
  const before = prior ?? {};
  const changed = (name: string) => JSON.stringify(state[name]) !== JSON.stringify(before[name]);
  const request = { state, before, changed, config, isNew: prior === null };
  const id = await appliers[type](request, service);
  return readResource(type, { ...state, id }, service);
}

interface Applying {
  /** The planned values; null for those that are known after the apply. */
  readonly state: ExchangedObject;
  readonly before: ExchangedObject;
  readonly changed: (name: string) => boolean;
  readonly config: ExchangedObject;
  readonly isNew: boolean;
}
type Applier = (request: Applying, service: ProviderService) => Promise<string>;

const unsupported: Applier = () => {
  throw new Error('this provider does not apply such a resource');
};

const appliers: Readonly<Record<ResourceType, Applier>> = {
  tfe_project: applyProject,
  tfe_project_settings: unsupported,
  tfe_workspace: applyWorkspace,
  tfe_workspace_settings: applySettings,
  tfe_data_retention_policy: unsupported,
  tfe_team_project_access: unsupported,
};

async function applyProject({ state, isNew }: Applying, service: ProviderService): Promise<string> {
  const attributes = {
    name: state.name,
    description: state.description ?? '',
    'auto-destroy-activity-duration': state.auto_destroy_activity_duration ?? null,
  };
  const path = isNew ? `/organizations/${state.organization}/projects` : `/projects/${state.id}`;
  const { id } = await send(service, isNew ? 'POST' : 'PATCH', path, { type: 'projects', attributes });
  await send(service, 'PATCH', `/projects/${id}/relationships/tag-bindings`, bindings(state.tags));
  return id;
}

const always = [
  'name',
  'allow_destroy_plan',
  'auto_apply_run_trigger',
  'file_triggers_enabled',
  'queue_all_runs',
  'speculative_enabled',
  'working_directory',
] as const;
const sentOnChange = ['auto_apply', 'assessments_enabled', 'operations'] as const;
const triggers = ['trigger_patterns', 'trigger_prefixes'] as const;

async function applyWorkspace(request: Applying, service: ProviderService): Promise<string> {
  const { state, before, changed, config, isNew } = request;
  const isEmptyList = (name: string) => Array.isArray(state[name]) && state[name].length === 0;
  const unsentList = triggers.find((name) => config[name] === null);
  const lists = isNew
    ? triggers.filter((name) => state[name] && !isEmptyList(name))
    : triggers.filter((name) => name !== unsentList);
  const repository = Array.isArray(state.vcs_repo)
    ? (state.vcs_repo[0] as ExchangedObject | undefined)
    : undefined;
  const attributes = {
    ...pick(state, always),
    ...pick(
      state,
      sentOnChange.filter((name) => state[name] !== null && changed(name)),
    ),
    ...(Boolean(state.description) && changed('description') && { description: state.description }),
    ...(isNew ? {} : { 'global-remote-state': state.global_remote_state === true }),
    ...(isNew && config.operations === null && overwrites(false)),
    ...(isNew && config.operations !== null && overwrites(true)),
    ...(config.auto_destroy_at === null
      ? !isNew && before.auto_destroy_at !== null && { 'auto-destroy-at': null }
      : changed('auto_destroy_at') && { 'auto-destroy-at': config.auto_destroy_at }),
    ...(changed('auto_destroy_activity_duration') &&
      (!isNew || Boolean(state.auto_destroy_activity_duration)) && {
        'auto-destroy-activity-duration': state.auto_destroy_activity_duration,
      }),
    ...(Boolean(state.terraform_version) && { 'terraform-version': state.terraform_version }),
    ...(isNew && Boolean(state.source_url) && pick(state, ['source_name', 'source_url'])),
    ...Object.fromEntries(lists.map((name) => [wireName(name), state[name] ?? []])),
    ...(repository && { 'vcs-repo': withoutEmptyConnection(repository, isNew) }),
  };
  const relationships = {
    ...(Boolean(state.project_id) &&
      changed('project_id') && { project: { data: { type: 'projects', id: state.project_id } } }),
    ...(isNew && { tags: { data: ((state.tag_names ?? []) as string[]).map(tag) } }),
    ...(Object.keys(state.tags ?? {}).length > 0 && { 'tag-bindings': { data: bindings(state.tags) } }),
  };
  const body = { type: 'workspaces', attributes, relationships };
  if (!isNew && Array.isArray(before.vcs_repo) && before.vcs_repo.length > 0 && !repository)
    await send(service, 'PATCH', `/workspaces/${state.id}`, {
      type: 'workspaces',
      attributes: { 'vcs-repo': null },
    });
  const path = isNew ? `/organizations/${state.organization}/workspaces` : `/workspaces/${state.id}`;
  const { id } = await send(service, isNew ? 'POST' : 'PATCH', path, body);
  if (Object.keys(state.tags ?? {}).length === 0 && !isNew)
    await send(service, 'PATCH', `/workspaces/${id}/relationships/tag-bindings`, []);
  if (changed('ssh_key_id') && (!isNew || state.ssh_key_id))
    await send(service, 'PATCH', `/workspaces/${id}/relationships/ssh-key`, {
      type: 'workspaces',
      attributes: { id: state.ssh_key_id || null },
    });
  if (!isNew && changed('tag_names')) {
    const [had, has] = [before.tag_names, state.tag_names] as [string[], string[]];
    await sendList(service, `/workspaces/${id}/relationships/tags`, {
      add: has.filter((name) => !had.includes(name)).map(tag),
      remove: had.filter((name) => !has.includes(name)).map(tag),
    });
  }
  return id;
}

/** An omitted value is switched off on update; on create the live one is kept. */
async function applySettings(request: Applying, service: ProviderService): Promise<string> {
  const { config, isNew } = request;
  const id = String(request.state.workspace_id);
  const live = await readResource('tfe_workspace_settings', { id }, service);
  const state = isNew ? config : request.state;
  const isOn = (name: string) => (isNew ? (config[name] ?? live?.[name]) : state[name]) === true;
  const planned = Array.isArray(state.overwrites) ? (state.overwrites[0] as ExchangedObject) : undefined;
  const attributes = {
    'global-remote-state': isOn('global_remote_state'),
    'project-remote-state': isOn('project_remote_state'),
    'auto-apply': isOn('auto_apply'),
    'assessments-enabled': isOn('assessments_enabled'),
    ...(Boolean(state.description) && { description: state.description }),
    ...overwrites(Boolean(state.execution_mode) && planned?.execution_mode !== false),
    ...(Boolean(state.execution_mode) && {
      'execution-mode': state.execution_mode,
      'agent-pool-id': state.agent_pool_id ?? '',
    }),
  };
  const own = (state.tags ?? undefined) as ExchangedObject | undefined;
  const relationships = own ? { 'tag-bindings': { data: bindings(own) } } : {};
  await send(service, 'PATCH', `/workspaces/${id}`, { type: 'workspaces', attributes, relationships });
  if (isOn('global_remote_state') || isOn('project_remote_state')) return id;
  const had = (live?.remote_state_consumer_ids ?? []) as string[];
  const has = (state.remote_state_consumer_ids ?? []) as string[];
  const consumer = (one: string) => ({ type: 'workspaces', id: one });
  await sendList(service, `/workspaces/${id}/relationships/remote-state-consumers`, {
    add: has.filter((one) => !had.includes(one)).map(consumer),
    remove: had.filter((one) => !has.includes(one)).map(consumer),
  });
  return id;
}

function overwrites(own: boolean): object {
  return { 'setting-overwrites': { 'execution-mode': own, 'agent-pool': own } };
}

function tag(name: string): object {
  return { type: 'tags', attributes: { name } };
}

/** An empty value is left out. */
function bindings(tags: Exchanged): ServiceObject[] {
  return Object.entries((tags ?? {}) as Readonly<Record<string, string>>).map(([key, value]) => ({
    type: 'tag-bindings',
    attributes: { key, ...(value !== '' && { value }) },
  })) as unknown as ServiceObject[];
}

function withoutEmptyConnection(repository: ExchangedObject, isNew: boolean): ExchangedObject {
  const kept = Object.entries(repository).filter(
    ([name, value]) => value || (!isNew && (name === 'branch' || name === 'tags_regex')) || value === false,
  );
  return pick(
    repository,
    kept.map(([name]) => name),
  );
}

function pick(values: ExchangedObject, names: readonly string[]): ExchangedObject {
  return Object.fromEntries(names.map((name) => [wireName(name), values[name]]));
}

function wireName(name: string): string {
  return name.replaceAll('_', '-');
}

async function sendList(
  service: ProviderService,
  path: string,
  { add, remove }: { readonly add: readonly object[]; readonly remove: readonly object[] },
): Promise<void> {
  if (add.length > 0) await send(service, 'POST', path, add);
  if (remove.length > 0) await send(service, 'DELETE', path, remove);
}
