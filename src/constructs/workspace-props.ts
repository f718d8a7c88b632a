import type { AttributeProps } from './attribute-props.ts';
import type { Project } from './project.ts';
import type { Reference } from './reference.ts';
import type { Workspace } from './workspace.ts';

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
