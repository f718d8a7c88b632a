import type { ResourceType } from '../../src/cdktf/places.ts';
import type { Exchanged, ExchangedObject } from './provider-values.ts';

type Rule = (config: ExchangedObject) => string | undefined;

const isGiven = (value: Exchanged) => value !== null && value !== undefined;

const rules: Readonly<Record<ResourceType, readonly Rule[]>> = {
  tfe_project: [],
  tfe_project_settings: [
    ({ default_execution_mode: mode, default_agent_pool_id: pool }) =>
      (mode === 'agent') === isGiven(pool) ? undefined : 'default_agent_pool_id requires the mode agent',
  ],
  tfe_workspace: [
    ({ trigger_prefixes, trigger_patterns }) =>
      isGiven(trigger_prefixes) && isGiven(trigger_patterns)
        ? 'trigger_prefixes conflicts with trigger_patterns'
        : undefined,
    ({ source_name, source_url }) =>
      isGiven(source_name) !== isGiven(source_url)
        ? 'source_name and source_url require each other'
        : undefined,
    ({ source_url }) =>
      isGiven(source_url) && !/^https?:\/\/[^/]/.test(String(source_url))
        ? 'source_url is not a URL'
        : undefined,
    ({ operations, execution_mode, agent_pool_id }) =>
      isGiven(operations) && (isGiven(execution_mode) || isGiven(agent_pool_id))
        ? 'operations conflicts with execution_mode'
        : undefined,
    ({ auto_destroy_at, auto_destroy_activity_duration }) =>
      isGiven(auto_destroy_at) && isGiven(auto_destroy_activity_duration)
        ? 'auto_destroy_activity_duration conflicts with auto_destroy_at'
        : undefined,
    ({ auto_destroy_activity_duration: duration }) =>
      isGiven(duration) && !/^\d{1,4}[dh]$/.test(String(duration))
        ? 'must be 1-4 digits and d or h'
        : undefined,
    ({ tag_names }) =>
      Array.isArray(tag_names) &&
      !tag_names.every((tag) => /^[a-z0-9](?:[a-z0-9_:-]*[a-z0-9])?$/.test(String(tag)))
        ? 'not a valid tag name'
        : undefined,
    ({ vcs_repo, trigger_prefixes, trigger_patterns }) => {
      const [repository] = Array.isArray(vcs_repo) ? (vcs_repo as readonly ExchangedObject[]) : [];
      if (!repository) return undefined;
      const { oauth_token_id: token, github_app_installation_id: app, tags_regex: regex } = repository;
      if (isGiven(token) === isGiven(app)) return 'one of oauth_token_id and github_app_installation_id';
      return isGiven(regex) && (isGiven(trigger_prefixes) || isGiven(trigger_patterns))
        ? 'tags_regex conflicts with trigger_patterns and trigger_prefixes'
        : undefined;
    },
  ],
  tfe_workspace_settings: [
    ({ execution_mode, agent_pool_id }) =>
      (execution_mode === 'agent') === isGiven(agent_pool_id)
        ? undefined
        : 'agent_pool_id goes with execution_mode agent, and only with it',
    ({ global_remote_state, project_remote_state }) =>
      global_remote_state === true && project_remote_state === true
        ? 'project_remote_state cannot be true if global_remote_state is true'
        : undefined,
    ({ global_remote_state, project_remote_state, remote_state_consumer_ids: consumers }) =>
      (global_remote_state === true || project_remote_state === true) &&
      Array.isArray(consumers) &&
      consumers.length > 0
        ? 'remote_state_consumer_ids must not be set'
        : undefined,
    ({ workspace_id, remote_state_consumer_ids: consumers }) =>
      Array.isArray(consumers) && consumers.includes(workspace_id)
        ? 'workspace_id cannot be in the set of remote_state_consumer_ids'
        : undefined,
  ],
  tfe_data_retention_policy: [
    ({ delete_older_than, dont_delete }) =>
      isGiven(delete_older_than) === isGiven(dont_delete)
        ? 'one of delete_older_than and dont_delete'
        : undefined,
  ],
  tfe_team_project_access: [
    ({ access, project_access, workspace_access }) =>
      access !== 'custom' &&
      [project_access, workspace_access].some((list) => Array.isArray(list) && list.length > 0)
        ? 'you can only set permissions with access level custom'
        : undefined,
  ],
};

/** The errors of the provider about a configuration of a resource. */
export function validateResource(type: ResourceType, config: ExchangedObject): readonly string[] {
  return rules[type].map((rule) => rule(config)).filter((problem) => problem !== undefined);
}
