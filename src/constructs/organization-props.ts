import type { Dialect } from '../model/dialect.ts';
import type { Feature } from '../model/feature.ts';
import type { Project } from './project.ts';
import type { Reference } from './reference.ts';
import type { TemplateProps, WorkspaceDefaults } from './workspace-props.ts';

/** Ids by their aliases, or the names to look up. */
export type AliasProps = Readonly<Record<string, Reference>>;

/** Where the service is and how to talk to it. */
export interface ServiceProps {
  /** Without `/api/v2`; or the word `embedded`. `--address` and `ATTUNE_ADDRESS` come first. */
  readonly address?: string;
  /** @default as the first workspace shows that the service returns */
  readonly dialect?: Dialect;
  /** Requests per second. @default what the service announces, else unlimited */
  readonly rate?: number;
  /** Requests at a time. @default 10 */
  readonly parallelism?: number;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number;
  /** Features that the service does not offer. @default as its answers show */
  readonly without?: readonly Feature[];
  /** Embedded service only: where it keeps its data, from the working folder. @default '.attune/embedded.json' */
  readonly data?: string;
  /** Embedded service only: what it starts with, from the working folder. */
  readonly seed?: string;
}

/** The live workspaces that this configuration owns: any of the projects, all of the tags, any of the names. */
export interface ScopeProps {
  readonly projects?: readonly (Project | Reference)[];
  readonly tags?: readonly string[];
  /** With `*` for any run of characters. */
  readonly names?: readonly string[];
}

/** Whether things that the program does not declare are deleted. */
export interface PruneProps {
  /** `safe` deletes only workspaces that manage no resources. Other than `keep` needs a scope. @default 'keep' */
  readonly workspaces?: 'keep' | 'safe' | 'force';
  /** Revokes teams that a project with access of its own does not list. @default false */
  readonly teamAccess?: boolean;
}

/** How much a single plan may delete. */
export interface LimitsProps {
  readonly deletes?: number;
  /** Of the live objects, from 10 on. @default 30 */
  readonly deletePercent?: number;
}

/** One organization: what a root file says beside its workspaces and grants. */
export interface OrganizationProps {
  /** @default the construct's id */
  readonly name?: string;
  readonly service?: ServiceProps;
  /** Aliases for projects that have no construct. */
  readonly projects?: AliasProps;
  /** Aliases for teams that have no construct. */
  readonly teams?: AliasProps;
  readonly sshKeys?: AliasProps;
  readonly agentPools?: AliasProps;
  readonly vcsConnections?: AliasProps;
  /** What holds for every workspace unless a template or the workspace itself says otherwise. */
  readonly defaults?: { readonly workspace?: WorkspaceDefaults };
  readonly templates?: Readonly<Record<string, TemplateProps>>;
  readonly scope?: ScopeProps;
  readonly prune?: PruneProps;
  readonly limits?: LimitsProps;
}
