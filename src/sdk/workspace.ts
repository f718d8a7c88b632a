import type { ResourceObject } from '../service/documents.ts';
import type { ServiceResource } from './resource.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

/** What a new workspace needs. */
export interface NewWorkspace extends WorkspaceSettings {
  /** Letters, digits, `-` and `_`; unique in the organization. */
  readonly name: string;
  /** The id of its project. @default the organization's default project */
  readonly project?: string;
}

/** The values of an update; omitted ones do not change. */
export interface WorkspaceUpdate extends WorkspaceSettings {
  /** A new name; the path with the old name no longer exists. */
  readonly name?: string;
  /** The id of the project to move to. Needs the right to administrate both. */
  readonly project?: string;
}

/** The attributes of a workspace as the service returns them: the settings and the read-only ones. */
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

/** The relationships of a workspace document; `latest-run` is deprecated and the same as `current-run`. */
export type WorkspaceRelationship =
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

/** A workspace as the service returns it (interface, section 2.1). */
export interface WorkspaceDocument
  extends ServiceResource<'workspaces', WorkspaceAttributes, WorkspaceRelationship> {
  /** The resources that `include` requested. */
  readonly included?: readonly ResourceObject[];
}

/** A workspace by its id, or by the name it has in its organization. */
export type WorkspaceRef = string | { readonly organization: string; readonly name: string };

/** The resources that can be included with a workspace (interface, section 4.8). */
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
