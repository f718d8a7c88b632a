import type { ResourceType } from '../../src/cdktf/places.ts';
import { documentedResources, permissionBlocks } from './documented-arguments.ts';
import type { Exchanged, ExchangedObject } from './provider-values.ts';

/** The service that the provider talks to. */
export interface ProviderService {
  readonly url: string;
  readonly token: string;
}

export interface ServiceObject {
  readonly id: string;
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<
    Record<string, { readonly data?: { readonly id: string; readonly type: string } | null }>
  >;
}

/** What the import of an id starts with; the rest is read afterwards. */
export async function importResource(
  type: ResourceType,
  id: string,
  service: ProviderService,
): Promise<ExchangedObject> {
  const state = emptyState(type);
  switch (type) {
    case 'tfe_project':
    case 'tfe_workspace':
    case 'tfe_team_project_access':
      return { ...state, id };
    case 'tfe_project_settings':
      return { ...state, id, project_id: id };
    case 'tfe_workspace_settings':
      return { ...state, id, workspace_id: id };
    case 'tfe_data_retention_policy': {
      const [organization, name] = id.split('/');
      const workspace = await one(service, `/organizations/${organization}/workspaces/${name}`);
      const policy = await one(service, `/workspaces/${workspace?.id}/relationships/data-retention-policy`);
      if (!workspace || !policy) throw new Error(`there is no policy of ${id}`);
      return { ...state, id: policy.id, workspace_id: workspace.id };
    }
  }
}

function emptyState(type: ResourceType): ExchangedObject {
  const { arguments: documented, blocks = {} } = documentedResources[type];
  return Object.fromEntries([
    ...Object.keys(documented).map((name) => [name, null]),
    ...Object.entries(blocks).map(([name, { nesting }]) => [name, nesting === 'LIST' ? [] : null]),
  ]);
}

/** The state of a resource as the provider reads it; null where it is gone. */
export async function readResource(
  type: ResourceType,
  state: ExchangedObject,
  service: ProviderService,
): Promise<ExchangedObject | null> {
  const id = String(state.id);
  switch (type) {
    case 'tfe_project': {
      const project = await one(service, `/projects/${id}`);
      return (
        project && {
          ...projectState(state, project),
          tags: await bindingsOf(service, `/projects/${id}`, state),
        }
      );
    }
    case 'tfe_project_settings': {
      const project = await one(service, `/projects/${id}`);
      return project && projectSettingsState(state, project);
    }
    case 'tfe_workspace': {
      const workspace = await one(service, `/workspaces/${id}`);
      return (
        workspace && {
          ...workspaceState(state, workspace, await consumersOf(service, workspace)),
          tags: await bindingsOf(service, `/workspaces/${id}`, state),
        }
      );
    }
    case 'tfe_workspace_settings': {
      const workspace = await one(service, `/workspaces/${id}`);
      return (
        workspace && {
          ...settingsState(state, workspace, await consumersOf(service, workspace)),
          tags: await bindingsOf(service, `/workspaces/${id}`, state),
        }
      );
    }
    case 'tfe_data_retention_policy': {
      const policy = await one(
        service,
        `/workspaces/${state.workspace_id}/relationships/data-retention-policy`,
      );
      return policy?.id === id ? retentionState(state, policy) : null;
    }
    case 'tfe_team_project_access': {
      const grant = await one(service, `/team-projects/${id}`);
      return grant && accessState(state, grant);
    }
  }
}

function projectState(state: ExchangedObject, project: ServiceObject): ExchangedObject {
  const { attributes: wire } = project;
  return {
    ...state,
    id: project.id,
    name: wire.name,
    organization: related(project, 'organization'),
    description: text(wire.description),
    auto_destroy_activity_duration: wire['auto-destroy-activity-duration'] ?? null,
  } as ExchangedObject;
}

function projectSettingsState(state: ExchangedObject, project: ServiceObject): ExchangedObject {
  const { attributes: wire } = project;
  const flags = wire['setting-overwrites'] as Readonly<Record<string, boolean>> | undefined;
  const mode = text(wire['default-execution-mode']);
  return {
    ...state,
    id: project.id,
    project_id: project.id,
    default_execution_mode: mode,
    default_agent_pool_id: mode === 'agent' ? related(project, 'default-agent-pool') : null,
    overwrites: {
      default_execution_mode: flags?.['default-execution-mode'] === true,
      default_agent_pool_id: flags?.['default-agent-pool'] === true,
    },
  };
}

function workspaceState(
  state: ExchangedObject,
  workspace: ServiceObject,
  consumers: Consumers,
): ExchangedObject {
  const { attributes: wire } = workspace;
  const repository = wire['vcs-repo'] as Readonly<Record<string, unknown>> | null | undefined;
  return {
    ...state,
    id: workspace.id,
    name: wire.name,
    organization: related(workspace, 'organization'),
    description: text(wire.description),
    agent_pool_id: related(workspace, 'agent-pool'),
    allow_destroy_plan: wire['allow-destroy-plan'] === true,
    auto_apply: wire['auto-apply'] === true,
    auto_apply_run_trigger: wire['auto-apply-run-trigger'] === true,
    auto_destroy_at: time(wire['auto-destroy-at']),
    auto_destroy_activity_duration: wire['auto-destroy-activity-duration'] ?? null,
    execution_mode: text(wire['execution-mode']),
    file_triggers_enabled: wire['file-triggers-enabled'] === true,
    global_remote_state: wire['global-remote-state'] === true,
    inherits_project_auto_destroy: wire['inherits-project-auto-destroy'] === true,
    remote_state_consumer_ids: consumers ?? state.remote_state_consumer_ids,
    assessments_enabled: wire['assessments-enabled'] === true,
    operations: wire.operations === true,
    project_id: related(workspace, 'project'),
    queue_all_runs: wire['queue-all-runs'] === true,
    source_name: text(wire['source-name']),
    source_url: text(wire['source-url']),
    speculative_enabled: wire['speculative-enabled'] === true,
    ssh_key_id: related(workspace, 'ssh-key'),
    structured_run_output_enabled: wire['structured-run-output-enabled'] === true,
    tag_names: wire['tag-names'] ?? [],
    effective_tags: {},
    terraform_version: text(wire['terraform-version'] ?? wire['iac-version']),
    trigger_prefixes: wire['trigger-prefixes'] ?? [],
    trigger_patterns: wire['trigger-patterns'] ?? [],
    working_directory: text(wire['working-directory']),
    resource_count: wire['resource-count'] ?? 0,
    html_url: '',
    hyok_enabled: false,
    vcs_repo: repository
      ? [
          {
            identifier: text(repository.identifier),
            branch: text(repository.branch),
            ingress_submodules: repository['ingress-submodules'] === true,
            oauth_token_id: text(repository['oauth-token-id']),
            tags_regex: text(repository['tags-regex']),
            github_app_installation_id: text(
              repository['github-app-installation-id'] ?? repository['vcs-app-installation-id'],
            ),
          },
        ]
      : [],
  };
}

function settingsState(
  state: ExchangedObject,
  workspace: ServiceObject,
  consumers: Consumers,
): ExchangedObject {
  const { attributes: wire } = workspace;
  const flags = wire['setting-overwrites'] as Readonly<Record<string, boolean>> | undefined;
  return {
    ...state,
    id: workspace.id,
    workspace_id: workspace.id,
    execution_mode: text(wire['execution-mode']),
    agent_pool_id: wire['execution-mode'] === 'agent' ? related(workspace, 'agent-pool') : null,
    overwrites: flags ? [{ execution_mode: flags['execution-mode'], agent_pool: flags['agent-pool'] }] : null,
    global_remote_state: wire['global-remote-state'] === true,
    project_remote_state: wire['project-remote-state'] === true,
    remote_state_consumer_ids: wire['project-remote-state'] === true ? [] : (consumers ?? []),
    description: wire.description ? String(wire.description) : null,
    auto_apply: wire['auto-apply'] === true,
    assessments_enabled: wire['assessments-enabled'] === true,
    effective_tags: {},
  };
}

function retentionState(state: ExchangedObject, { type, attributes }: ServiceObject): ExchangedObject {
  return type === 'data-retention-policy-dont-deletes'
    ? { ...state, delete_older_than: null, dont_delete: {} }
    : { ...state, delete_older_than: { days: attributes['delete-older-than-n-days'] }, dont_delete: null };
}

function accessState(state: ExchangedObject, grant: ServiceObject): ExchangedObject {
  const { attributes } = grant;
  const read = (block: keyof typeof permissionBlocks) => {
    const wire = (attributes[block.replace('_', '-')] ?? {}) as Readonly<Record<string, unknown>>;
    return Object.entries(permissionBlocks[block]).map(([name, { type }]) => {
      const value =
        wire[name.replaceAll('_', '-')] ?? (name === 'sentinel_mocks' ? wire['policy-mocks'] : undefined);
      return [name, value ?? (type === 'bool' ? false : '')];
    });
  };
  return {
    ...state,
    id: grant.id,
    access: attributes.access,
    team_id: related(grant, 'team'),
    project_id: related(grant, 'project'),
    project_access: [Object.fromEntries(read('project_access'))],
    workspace_access: [Object.fromEntries(read('workspace_access'))],
  };
}

/** Undefined while the state is shared with all: then the provider does not ask. */
type Consumers = readonly string[] | undefined;

async function consumersOf(service: ProviderService, { id, attributes }: ServiceObject): Promise<Consumers> {
  if (attributes['global-remote-state'] === true) return undefined;
  const list = (await get(
    service,
    `/workspaces/${id}/relationships/remote-state-consumers?page[size]=100`,
  )) as {
    readonly data: readonly ServiceObject[];
  };
  return list.data.map((consumer) => consumer.id);
}

/** The own key/value tags; only those of the configuration if the others are ignored. */
export async function bindingsOf(
  service: ProviderService,
  path: string,
  state: ExchangedObject,
): Promise<ExchangedObject> {
  const list = (await get(service, `${path}/tag-bindings`)) as
    | { readonly data: readonly ServiceObject[] }
    | undefined;
  const live = (list?.data ?? []).map(({ attributes: { key, value } }) => [String(key), String(value ?? '')]);
  if (state.ignore_additional_tags !== true) return Object.fromEntries(live);
  const known = (state.tags ?? {}) as ExchangedObject;
  return Object.fromEntries(live.filter(([key = '']) => Object.hasOwn(known, key)));
}

async function one(service: ProviderService, path: string): Promise<ServiceObject | null> {
  const document = (await get(service, path)) as { readonly data: ServiceObject } | undefined;
  return document?.data ?? null;
}

/** Sends a document, and returns the object of the answer. */
export async function send(
  { url, token }: ProviderService,
  method: string,
  path: string,
  data: unknown,
): Promise<ServiceObject> {
  const response = await fetch(`${url}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} ${JSON.stringify(data)}: ${response.status} ${body}`);
  return body === '' ? { id: '', type: '', attributes: {} } : JSON.parse(body).data;
}

async function get({ url, token }: ProviderService, path: string): Promise<unknown> {
  const response = await fetch(`${url}/api/v2${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function related(object: ServiceObject, name: string): string {
  return object.relationships?.[name]?.data?.id ?? '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** As the provider prints times: without fractions, and UTC as Z. */
function time(value: unknown): Exchanged {
  return typeof value === 'string' ? value.replace(/\.\d+/, '').replace(/[+-]00:?00$/, 'Z') : null;
}
