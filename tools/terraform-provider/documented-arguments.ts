import type { ResourceType } from '../../src/cdktf/places.ts';

/**
 * The arguments that the documentation of Terraform's `tfe` provider (0.80) lists for the resources that an export
 * uses: facts, written manually.
 */
export interface DocumentedArgument {
  /** As Terraform spells types in JSON. */
  readonly type: ArgumentType;
  readonly required?: true;
  /** May be left out. */
  readonly optional?: true;
  /** Has a value from the provider when it is left out. */
  readonly computed?: true;
  /** What it is when it is left out. */
  readonly default?: string | boolean;
  /** Cleared when it is left out, though it is computed. */
  readonly cleared?: true;
  /** A change of it replaces the resource. */
  readonly replaces?: true;
  readonly deprecated?: true;
}

export type ArgumentType = 'string' | 'bool' | 'number' | readonly [string, ...unknown[]];
export type DocumentedArguments = Readonly<Record<string, DocumentedArgument>>;

export interface DocumentedBlock {
  readonly nesting: 'SINGLE' | 'LIST';
  /** How many there may be; 0: any number. */
  readonly most: number;
  /** Set by the provider when it is left out. */
  readonly computed?: true;
  readonly arguments: DocumentedArguments;
}

export interface DocumentedResource {
  /** Whether it is made with the older of the two kits for providers, which takes empty values for absent ones. */
  readonly legacy: boolean;
  readonly version: number;
  readonly arguments: DocumentedArguments;
  readonly blocks?: Readonly<Record<string, DocumentedBlock>>;
}

const text = (more: Partial<DocumentedArgument> = {}): DocumentedArgument => ({ type: 'string', ...more });
const flag = (more: Partial<DocumentedArgument> = {}): DocumentedArgument => ({ type: 'bool', ...more });
const optional = { optional: true } as const;
const computed = { computed: true } as const;
const both = { optional: true, computed: true } as const;
const key = { required: true, replaces: true } as const;
const mapOfTexts = ['map', 'string'] as const;

/** Under `custom` each may be left out, and then has its default. */
export const permissionBlocks = {
  project_access: { settings: text(both), teams: text(both), variable_sets: text(both) },
  workspace_access: {
    create: flag(both),
    locking: flag(both),
    move: flag(both),
    delete: flag(both),
    run_tasks: flag(both),
    policy_overrides: flag(both),
    runs: text(both),
    sentinel_mocks: text(both),
    state_versions: text(both),
    variables: text(both),
  },
} as const satisfies Readonly<Record<string, DocumentedArguments>>;
const permissionList = { nesting: 'LIST', most: 0, computed: true } as const;

export const documentedResources: Readonly<Record<ResourceType, DocumentedResource>> = {
  tfe_project: {
    legacy: true,
    version: 0,
    arguments: {
      id: text(computed),
      name: text({ required: true }),
      organization: text({ ...both, replaces: true }),
      description: text(both),
      auto_destroy_activity_duration: text({ ...both, cleared: true }),
      tags: { type: mapOfTexts, ...both },
      ignore_additional_tags: flag(optional),
    },
  },
  tfe_project_settings: {
    legacy: false,
    version: 0,
    arguments: {
      id: text(computed),
      project_id: text(key),
      default_execution_mode: text({ ...both, cleared: true }),
      default_agent_pool_id: text({ ...both, cleared: true }),
      overwrites: {
        type: ['object', { default_execution_mode: 'bool', default_agent_pool_id: 'bool' }],
        ...computed,
      },
    },
  },
  tfe_workspace: {
    legacy: true,
    version: 1,
    arguments: {
      id: text(computed),
      name: text({ required: true }),
      organization: text({ ...both, replaces: true }),
      description: text(both),
      agent_pool_id: text({ ...both, deprecated: true }),
      allow_destroy_plan: flag({ ...optional, default: true }),
      auto_apply: flag(both),
      auto_apply_run_trigger: flag({ ...optional, default: false }),
      auto_destroy_at: text({ ...both, cleared: true }),
      auto_destroy_activity_duration: text({ ...both, cleared: true }),
      execution_mode: text({ ...both, deprecated: true }),
      file_triggers_enabled: flag({ ...optional, default: true }),
      global_remote_state: flag({ ...both, deprecated: true }),
      inherits_project_auto_destroy: flag(computed),
      remote_state_consumer_ids: { type: ['set', 'string'], ...both, deprecated: true },
      assessments_enabled: flag(both),
      operations: flag({ ...both, deprecated: true }),
      project_id: text(both),
      queue_all_runs: flag({ ...optional, default: true }),
      source_name: text(optional),
      source_url: text(optional),
      speculative_enabled: flag({ ...optional, default: true }),
      ssh_key_id: text({ ...optional, default: '' }),
      structured_run_output_enabled: flag({ ...optional, default: true }),
      tag_names: { type: ['set', 'string'], ...both },
      ignore_additional_tag_names: flag(optional),
      tags: { type: mapOfTexts, ...both },
      ignore_additional_tags: flag(optional),
      effective_tags: { type: mapOfTexts, ...computed },
      terraform_version: text(both),
      trigger_prefixes: { type: ['list', 'string'], ...optional },
      trigger_patterns: { type: ['list', 'string'], ...optional },
      working_directory: text({ ...optional, default: '' }),
      force_delete: flag({ ...optional, default: false }),
      resource_count: { type: 'number', ...computed },
      html_url: text(computed),
      hyok_enabled: flag(computed),
    },
    blocks: {
      vcs_repo: {
        nesting: 'LIST',
        most: 1,
        arguments: {
          identifier: text({ required: true }),
          branch: text(optional),
          ingress_submodules: flag({ ...optional, default: false }),
          oauth_token_id: text(optional),
          tags_regex: text(optional),
          github_app_installation_id: text(optional),
        },
      },
    },
  },
  tfe_workspace_settings: {
    legacy: false,
    version: 1,
    arguments: {
      id: text(computed),
      workspace_id: text(key),
      execution_mode: text({ ...both, cleared: true }),
      agent_pool_id: text({ ...both, cleared: true }),
      overwrites: { type: ['list', ['object', { execution_mode: 'bool', agent_pool: 'bool' }]], ...computed },
      global_remote_state: flag(both),
      project_remote_state: flag(both),
      remote_state_consumer_ids: { type: ['set', 'string'], ...both, cleared: true },
      description: text(both),
      auto_apply: flag(both),
      assessments_enabled: flag(both),
      tags: { type: mapOfTexts, ...both },
      effective_tags: { type: mapOfTexts, ...both },
    },
  },
  tfe_data_retention_policy: {
    legacy: false,
    version: 1,
    arguments: {
      id: text(computed),
      organization: text({ ...both, replaces: true }),
      workspace_id: text({ ...optional, replaces: true }),
    },
    blocks: {
      delete_older_than: {
        nesting: 'SINGLE',
        most: 1,
        arguments: { days: { type: 'number', optional: true, replaces: true } },
      },
      dont_delete: { nesting: 'SINGLE', most: 1, arguments: {} },
    },
  },
  tfe_team_project_access: {
    legacy: true,
    version: 1,
    arguments: {
      id: text(computed),
      access: text({ required: true }),
      team_id: text(key),
      project_id: text(key),
    },
    blocks: {
      project_access: { ...permissionList, arguments: permissionBlocks.project_access },
      workspace_access: { ...permissionList, arguments: permissionBlocks.workspace_access },
    },
  },
};

/** The arguments of the provider itself; the environment can replace all of them. */
export const providerArguments: DocumentedArguments = {
  hostname: text(optional),
  token: text(optional),
  organization: text(optional),
  ssl_skip_verify: flag(optional),
};
