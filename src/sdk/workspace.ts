import type { ResourceObject } from '../service/documents.ts';
import type { ServiceResource } from './resource.ts';

/** Where a workspace's code comes from (interface, section 2.2). */
export interface VcsRepository {
  /** `null` or empty: the repository's default branch. */
  readonly branch?: string | null;
  /** `:org/:repo`, or `:org/:project/_git/:repo` for a provider with projects. Required for a new repository. */
  readonly identifier?: string;
  /** Fetches submodules on clone. @default false */
  readonly 'ingress-submodules'?: boolean;
  /** The VCS connection; not together with `vcs-app-installation-id`. */
  readonly 'oauth-token-id'?: string;
  /** The installation of the VCS provider's app; not together with `oauth-token-id`. */
  readonly 'vcs-app-installation-id'?: string;
  /** Git tags that start a run, as a regular expression. */
  readonly 'tags-regex'?: string | null;
}

/** Whether the workspace has values of its own (`true`) or takes the organization's (`false`). */
export interface SettingOverwrites {
  /** @default true */
  readonly 'execution-mode'?: boolean;
  /** @default true */
  readonly 'agent-pool'?: boolean;
}

/**
 * The attributes of a workspace that can be written (interface, section 2.1), but for its name. What is left out keeps
 * its value on update, and takes the default on create.
 */
export interface WorkspaceSettings {
  /** Required with the execution mode `agent`, refused with any other. */
  readonly 'agent-pool-id'?: string | null;
  /** Whether destroy plans can be queued. @default true */
  readonly 'allow-destroy-plan'?: boolean;
  /** Health assessments; on the hosted offering only. @default false */
  readonly 'assessments-enabled'?: boolean;
  /** Applies after a successful plan. @default false */
  readonly 'auto-apply'?: boolean;
  /** The same for runs that run triggers started. @default false */
  readonly 'auto-apply-run-trigger'?: boolean;
  /** When everything is destroyed next: an ISO 8601 timestamp. */
  readonly 'auto-destroy-at'?: string | null;
  /** After how long without activity everything is destroyed: up to four digits and `d` or `h`, as in `14d`. */
  readonly 'auto-destroy-activity-duration'?: string | null;
  readonly description?: string | null;
  /** Where runs are executed; `local` only keeps the state. Not together with `operations`. @default the organization's */
  readonly 'execution-mode'?: 'remote' | 'local' | 'agent';
  /** Whether only changed files that match the triggers start a run. @default true */
  readonly 'file-triggers-enabled'?: boolean;
  /** Whether all workspaces of the organization may read the state. @default false */
  readonly 'global-remote-state'?: boolean;
  /** @deprecated Write `execution-mode` instead. @default true */
  readonly operations?: boolean;
  /** Whether runs are queued before one was queued by hand. @default false */
  readonly 'queue-all-runs'?: boolean;
  /** Who created it; sent on create only. */
  readonly 'source-name'?: string;
  /** Where its creator is described; sent on create only. */
  readonly 'source-url'?: string;
  /** Plans pull requests. @default true */
  readonly 'speculative-enabled'?: boolean;
  /** A version, or a constraint such as `~> 1.9.0`. @default the newest release of the day */
  readonly 'iac-version'?: string;
  /** Globs of files that start a run. @default [] */
  readonly 'trigger-patterns'?: readonly string[];
  /** Paths that start a run, beside the working directory. @default [] */
  readonly 'trigger-prefixes'?: readonly string[];
  /** `null` takes the repository away; an object changes only the keys that it has. */
  readonly 'vcs-repo'?: VcsRepository | null;
  /** Where runs start, relative to the repository's root. */
  readonly 'working-directory'?: string | null;
  readonly 'setting-overwrites'?: SettingOverwrites;
}

/** What a new workspace needs. */
export interface NewWorkspace extends WorkspaceSettings {
  /** Letters, digits, `-` and `_`; unique in the organization. */
  readonly name: string;
  /** The id of its project. @default the organization's default project */
  readonly project?: string;
}

/** What an update changes; everything else stays as it is. */
export interface WorkspaceUpdate extends WorkspaceSettings {
  /** A new name: the path by the old one ends to exist. */
  readonly name?: string;
  /** The id of the project to move to. Needs the right to administrate both. */
  readonly project?: string;
}

/** The attributes of a workspace as the service answers them: the settings, and what can only be read. */
export interface WorkspaceAttributes extends WorkspaceSettings {
  readonly name: string;
  readonly actions?: { readonly 'is-destroyable'?: boolean };
  /** In milliseconds, over the past 30 runs. */
  readonly 'apply-duration-average'?: number | null;
  readonly 'auto-destroy-status'?: string | null;
  readonly 'created-at'?: string;
  readonly environment?: string;
  readonly 'inherits-project-auto-destroy'?: boolean | null;
  readonly 'last-assessment-result-at'?: string | null;
  /** When the newest state version was created; without one, when the workspace was. */
  readonly 'latest-change-at'?: string;
  readonly locked?: boolean;
  readonly 'locked-reason'?: string | null;
  readonly 'oauth-client-name'?: string | null;
  /** What the token may do, as in `can-update` and `can-force-delete`. */
  readonly permissions?: Readonly<Record<string, boolean>> | null;
  /** In milliseconds, over the past 30 runs. */
  readonly 'plan-duration-average'?: number | null;
  readonly 'policy-check-failures'?: number | null;
  /** How many resources the state has. It is computed a while after an apply. */
  readonly 'resource-count'?: number;
  readonly 'run-failures'?: number | null;
  readonly source?: string;
  readonly 'structured-run-output-enabled'?: boolean;
  /** All of its tags, in no order. */
  readonly 'tag-names'?: readonly string[];
  readonly 'updated-at'?: string;
  readonly 'vcs-repo-identifier'?: string | null;
  readonly 'workspace-kpis-runs-count'?: number | null;
}

/** What a workspace document tells of others; `latest-run` is deprecated and the same as `current-run`. */
export type WorkspaceRelation =
  | 'agent-pool'
  | 'current-assessment-result'
  | 'current-configuration-version'
  | 'current-run'
  | 'current-state-version'
  | 'data-retention-policy'
  | 'latest-run'
  | 'locked-by'
  | 'organization'
  | 'outputs'
  | 'project'
  | 'readme'
  | 'remote-state-consumers'
  | 'ssh-key'
  | 'vars';

/** A workspace as the service answers it (interface, section 2.1). */
export interface Workspace extends ServiceResource<'workspaces', WorkspaceAttributes, WorkspaceRelation> {
  /** What `include` asked for. */
  readonly included?: readonly ResourceObject[];
}

/** A workspace by its id, or by the name it has in its organization. */
export type WorkspaceRef = string | { readonly organization: string; readonly name: string };

/** What can come along with a workspace (interface, section 4.8). */
export type WorkspaceInclude =
  | 'current_configuration_version'
  | 'current_configuration_version.ingress_attributes'
  | 'current_run'
  | 'current_run.configuration_version'
  | 'current_run.configuration_version.ingress_attributes'
  | 'current_run.plan'
  | 'locked_by'
  | 'organization'
  | 'outputs'
  | 'project'
  | 'readme';
