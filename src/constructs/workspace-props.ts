import type { Project } from './project.ts';
import type { Workspace } from './workspace.ts';

/**
 * What stands for a project, a key, a pool or a connection: an alias, an id, or the name that it has on the service, which
 * is looked up when the plan is made. `{name}` says that it is a name.
 */
export type Reference = string | { readonly name: string };

/** What may read a workspace's state: workspaces by construct, name or id, or a selector that the plan expands. */
export type Consumer =
  | Workspace
  /** All workspaces of the project. */
  | Project
  /** The name of a workspace, or its id. */
  | string
  /** All workspaces with this tag. */
  | { readonly tag: string }
  /** All workspaces of this project. */
  | { readonly project: Project | Reference }
  /** All workspaces whose name matches, with `*` for any run of characters. */
  | { readonly name: string };

/** A list is exactly these; `add` and `remove` are at least and none of these, and leave the rest alone. */
export type ConsumerList =
  | readonly Consumer[]
  | { readonly add?: readonly Consumer[]; readonly remove?: readonly Consumer[] };

/** A list is exactly these and those of the layers; `exactly` these alone; `add` and `remove` leave the rest alone. */
export type TagList =
  | readonly string[]
  | { readonly exactly: readonly string[] }
  | { readonly add?: readonly string[]; readonly remove?: readonly string[] };

/** The repository of a workspace. Inside it only what is named is managed. */
export interface VcsRepoProps {
  /** `null` for the repository's default branch. */
  readonly branch?: string | null;
  /** `<organization>/<repository>`, or `<organization>/<project>/_git/<repository>`. */
  readonly identifier?: string;
  /** Fetch submodules on clone. @default false */
  readonly ingressSubmodules?: boolean;
  /** The VCS connection. Not together with `vcsAppInstallationId`. */
  readonly oauthTokenId?: Reference;
  /** The id of the VCS provider's app installation. Not together with `oauthTokenId`. */
  readonly vcsAppInstallationId?: string;
  /** A Git tag that matches this regular expression starts a run; `null` for none. */
  readonly tagsRegex?: string | null;
}

/** For settings that the organization has a default for: `true`, the workspace has its own; `false`, the default holds. */
export interface SettingOverwritesProps {
  /** `true`: the workspace's own `executionMode` holds and has to be named. @default true */
  readonly executionMode?: boolean;
  /** `true`: the workspace's own `agentPoolId` holds. @default true */
  readonly agentPool?: boolean;
}

/** The attributes of a workspace. What is not given is left alone; `null` clears; `[]` is empty on purpose. */
export interface AttributeProps {
  /** The agent pool that executes the runs. Needed with `executionMode: 'agent'`, not allowed with the others. */
  readonly agentPoolId?: Reference | null;
  /** Whether destroy plans can be queued. @default true */
  readonly allowDestroyPlan?: boolean;
  /** Health assessments. Hosted offering only. @default false */
  readonly assessmentsEnabled?: boolean;
  /** Apply after a successful plan, for runs started by VCS, UI or CLI. @default false */
  readonly autoApply?: boolean;
  /** Apply after a successful plan, for runs started by run triggers. @default false */
  readonly autoApplyRunTrigger?: boolean;
  /** When the next destroy run is scheduled: `2026-01-31T18:00:00Z`. Not together with `autoDestroyActivityDuration`. */
  readonly autoDestroyAt?: string | null;
  /** A destroy run after so much inactivity: one to four digits and `d` (days) or `h` (hours). */
  readonly autoDestroyActivityDuration?: string | null;
  /** Free text. */
  readonly description?: string | null;
  /** Where runs are executed; `local` stores state only. @default the organization's default */
  readonly executionMode?: 'remote' | 'local' | 'agent';
  /** Whether only changed files that match the triggers start a run. @default true */
  readonly fileTriggersEnabled?: boolean;
  /** Lets every workspace of the organization read this one's state. @default false */
  readonly globalRemoteState?: boolean;
  /** @deprecated Use `executionMode`. */
  readonly operations?: boolean;
  /** Whether runs are queued right after creation. @default false */
  readonly queueAllRuns?: boolean;
  /** The name of the client that creates the workspace. Sent on create only. */
  readonly sourceName?: string;
  /** The URL of the client that creates the workspace. Sent on create only. */
  readonly sourceUrl?: string;
  /** Whether automatic speculative plans, on pull requests, are allowed. @default true */
  readonly speculativeEnabled?: boolean;
  /** An exact version or a constraint: `1.9.2`, `~> 1.9.0`. @default the newest release on the day of the create */
  readonly iacVersion?: string;
  /** Globs of files that start a run, relative to the repository's root. */
  readonly triggerPatterns?: readonly string[];
  /** Folders beside the working directory whose changes start a run, relative to the repository's root. */
  readonly triggerPrefixes?: readonly string[];
  /** The folder that runs are executed in; `null` for the repository's root. */
  readonly workingDirectory?: string | null;
  /** The repository; `null` for none. */
  readonly vcsRepo?: VcsRepoProps | null;
  /** Whose execution mode and agent pool hold. */
  readonly settingOverwrites?: SettingOverwritesProps;
}

/** Settings that workspaces have in common: the defaults of an organization. */
export interface WorkspaceDefaults extends AttributeProps {
  /** Makes any delete or rename an error. @default false */
  readonly protect?: boolean;
  /** The project. @default the nearest `Project` that the workspace stands in */
  readonly project?: Project | Reference;
  /** Tags; those of all layers add up. */
  readonly tags?: readonly string[];
  /** The workspaces that may read the state. */
  readonly remoteStateConsumers?: ConsumerList;
  /** The SSH key; `null` for none. */
  readonly sshKey?: Reference | null;
  /** `true` or a reason: locked. `false` or `null`: unlocked. */
  readonly lock?: boolean | { readonly reason: string } | null;
  /** The workspace's own policy, on self-hosted services; `null` for none of its own. */
  readonly dataRetention?: { readonly deleteOlderThanDays: number } | { readonly dontDelete: true } | null;
}

/** Settings under a name, which workspaces take with `extends`. */
export interface TemplateProps extends WorkspaceDefaults {
  /** The templates that this one starts from; a later one wins over an earlier one. */
  readonly extends?: string | readonly string[];
}

/** One workspace. What is not given is left alone; `null` clears; `[]` is empty on purpose. */
export interface WorkspaceProps extends Omit<TemplateProps, 'tags'> {
  /** @default the ids on the way from the organization to the construct, joined with `-` */
  readonly name?: string;
  /** Tags. What `Tags.of` adds to a scope above joins them. */
  readonly tags?: TagList;
  /** `absent`: a tombstone, the workspace is deleted. */
  readonly state?: 'absent';
  /** How a tombstone deletes: only a workspace that manages no resources, or any. @default 'safe' */
  readonly delete?: 'safe' | 'force';
  /** The name that the workspace had before; it is renamed, not deleted and created. */
  readonly renamedFrom?: string;
}
