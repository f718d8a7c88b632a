import type { AccessLevel } from '../model/permissions.ts';
import type { ResourceObject } from '../service/documents.ts';
import type { ProjectPermissions, WorkspacePermissions, WorkspaceSettings } from './typed-settings.ts';

/** Identifies a resource. */
export interface ResourceIdentifier {
  readonly id: string;
  readonly type: string;
}

/** The related resources: one, several, or none (`null`). Some relationships have only a link. */
export interface Relationship {
  readonly data?: ResourceIdentifier | readonly ResourceIdentifier[] | null;
  readonly links?: { readonly related?: string };
}

/**
 * A resource as the service returns it, a JSON:API resource object. Attributes have the neutral names of the interface
 * in both dialects. Values that the service does not return are missing. If a value can be cleared, `null`, `""` and a
 * missing member mean the same.
 */
export interface ServiceResource<
  Type extends string = string,
  Attributes = Readonly<Record<string, unknown>>,
  Relation extends string = string,
> extends ResourceIdentifier {
  readonly type: Type;
  readonly attributes: Attributes;
  readonly relationships: Readonly<Partial<Record<Relation, Relationship>>>;
  readonly links?: Readonly<Record<string, string>>;
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
  /** The permissions of the token, as in `can-update` and `can-force-delete`. */
  readonly permissions?: Readonly<Record<string, boolean>> | null;
  /** In milliseconds, over the past 30 runs. */
  readonly 'plan-duration-average'?: number | null;
  readonly 'policy-check-failures'?: number | null;
  /** The number of resources in the state, which is computed a while after an apply. */
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

/** A tag of an organization (interface, section 2.3). */
export interface TagDocument
  extends ServiceResource<
    'tags',
    {
      readonly name: string;
      /** ISO 8601. */
      readonly 'created-at'?: string;
      /** The number of workspaces that have it. */
      readonly 'instance-count'?: number;
    },
    'organization'
  > {}

/** How long a workspace keeps old data. Its `target` is the owner: the policy of an organization is inherited. */
export interface RetentionPolicy
  extends ServiceResource<
    'data-retention-policy-delete-olders' | 'data-retention-policy-dont-deletes',
    { readonly 'delete-older-than-n-days'?: number },
    'target'
  > {}

/** An access level. Single permissions are returned only under `custom`; other levels imply them. */
export interface TeamProjectAttributes {
  readonly access: AccessLevel;
  readonly 'project-access'?: ProjectPermissions;
  readonly 'workspace-access'?: WorkspacePermissions;
}

/** A team's access to a project (interface, section 2.4). */
export interface TeamProjectDocument
  extends ServiceResource<'team-projects', TeamProjectAttributes, 'project' | 'team'> {}

/** An object that is looked up by its name: a project, a team, an SSH key, an agent pool or a VCS connection. */
export interface NamedDocument
  extends ServiceResource<
    string,
    {
      /** `null` for a VCS connection without a name. */
      readonly name: string | null;
      readonly [attribute: string]: unknown;
    }
  > {}
