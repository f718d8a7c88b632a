import { Construct, type IConstruct } from 'constructs';
import { AttuneError } from '../model/attune-error.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Feature } from '../model/feature.ts';
import type { RoleProps } from './access-props.ts';
import { markCallSite } from './call-site.ts';
import type { TagMap } from './list.ts';
import type { Project } from './project.ts';
import type { Reference } from './reference.ts';
import { markOrganization, outsideOrganization } from './scope.ts';
import type { TemplateProps, WorkspaceDefaults, WorkspaceSelector } from './workspace.ts';

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

/**
 * The workspaces that this configuration owns: any of the projects, all of the tags, any of the names. What it declares,
 * deletes or moves has to be in scope, before the plan and after it.
 */
export interface ScopeProps {
  readonly projects?: readonly (Project | Reference)[];
  readonly tags?: readonly string[];
  /** With `*` for any run of characters. */
  readonly names?: readonly string[];
  /** Key/value tags in effect, inherited ones included: all of them. `null` is a key without a value. */
  readonly tagged?: TagMap;
  /** Names of live workspaces outside the scope that this configuration takes over. */
  readonly adopt?: readonly string[];
  /** Whether a declaration outside the scope is an error of the plan; else it is a warning. @default true */
  readonly enforce?: boolean;
}

/** Whether things that the program does not declare are deleted. */
export interface PruneProps {
  /** `safe` deletes only workspaces that manage no resources. Other than `keep` needs a scope. @default 'keep' */
  readonly workspaces?: 'keep' | 'safe' | 'force';
  /** Revokes teams that a project with access of its own does not list. @default false */
  readonly teamAccess?: boolean;
}

/** How much a single plan may delete; the limit that is reached first refuses it. */
export interface LimitsProps {
  /** Workspaces and grants together. @default 10 */
  readonly deletes?: number;
  /** Of the live objects, from 10 on. @default 30 */
  readonly deletePercent?: number;
}

/** What no plan may do, whatever the program declares. */
export interface GuardsProps {
  /** Workspaces that are neither deleted nor renamed: names with `*`, or selectors; by live and by planned values. */
  readonly protect?: readonly (string | WorkspaceSelector)[];
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
  /** Roles by name; a team access takes one wherever it takes a level. */
  readonly roles?: Readonly<Record<string, RoleProps>>;
  readonly scope?: ScopeProps;
  readonly prune?: PruneProps;
  readonly limits?: LimitsProps;
  readonly guards?: GuardsProps;
}

/**
 * One organization. All else stands in one.
 *
 * @example
 * ```ts
 * const other = new Organization(app, 'other', { scope: { tags: ['managed'] } });
 * console.log(other.name); // other
 * ```
 */
export class Organization extends Construct {
  readonly name: string;
  readonly props: OrganizationProps;

  /** @throws {@link AttuneError} inside of another organization. */
  constructor(scope: Construct, id: string, props: OrganizationProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    const outer = scope.node.scopes.find(isOrganization);
    if (outer)
      throw new AttuneError(
        `${this.node.path} is inside ${outer.node.path}, which is an organization already`,
        {
          code: 'wrong-scope',
          hint: 'create it directly in the app',
        },
      );
    markOrganization(this);
    this.name = props.name ?? id;
    this.props = props;
  }

  /**
   * The organization that a construct stands in.
   *
   * @throws {@link AttuneError} where it stands in none.
   * @example
   * ```ts
   * console.log(Organization.of(network) === acme); // true
   * ```
   */
  static of(construct: IConstruct): Organization {
    const found = construct.node.scopes.find(isOrganization);
    if (found) return found;
    throw outsideOrganization(construct);
  }
}

function isOrganization(construct: IConstruct): construct is Organization {
  return construct instanceof Organization;
}
