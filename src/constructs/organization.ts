import { Construct, type IConstruct } from 'constructs';
import { AttuneError, type Severity } from '../model/diagnostic.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import type { MessageEvent, PolicySubject, ReceiverKind } from '../model/rules.ts';
import type { Value } from '../model/value.ts';
import { markCallSite, markOrganization, organizationScope } from './origin.ts';
import type { EndingProps, Project, RoleProps } from './project.ts';
import type { Reference, TagMap } from './prop-types.ts';
import type { TemplateProps, WorkspaceDefaults, WorkspaceSelector } from './workspace.ts';

/** Ids by their aliases, or the names to look up. */
export type AliasProps = Readonly<Record<string, Reference>>;

/** The address of the service, and settings for requests to it. */
export interface ServiceProps {
  /** Without `/api/v2`; or the word `embedded`. `--address` and `ATTUNE_ADDRESS` override it. */
  readonly address?: string;
  /** @default detected from the first workspace that the service returns */
  readonly dialect?: Dialect;
  /** Requests per second. @default the rate that the service announces, else unlimited */
  readonly rate?: number;
  /** Concurrent requests. @default 10 */
  readonly parallelism?: number;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number;
  /** Features that the service does not offer. @default detected from its responses */
  readonly without?: readonly Feature[];
  /** Embedded service only: its data file, relative to the working folder. @default '.attune/embedded.json' */
  readonly data?: string;
  /** Embedded service only: the file with its initial state, relative to the working folder. */
  readonly seed?: string;
}

/**
 * The workspaces that this configuration owns: any of the projects, all of the tags, any of the names. A workspace that
 * the program declares, deletes or moves must be in scope, before the plan and after it.
 */
export interface ScopeProps {
  readonly projects?: readonly (Project | Reference)[];
  readonly tags?: readonly string[];
  /** With `*` for any run of characters. */
  readonly names?: readonly string[];
  /** Key/value tags in effect, inherited ones included: all of them. `null` is a key without a value. */
  readonly tagged?: TagMap;
  /** Names of live workspaces outside the scope that this configuration adopts. */
  readonly adopt?: readonly string[];
  /** Whether a declaration outside the scope is an error; if false, it is a warning. @default true */
  readonly enforce?: boolean;
}

/** Whether undeclared resources are deleted. */
export interface PruneProps {
  /** `safe` deletes only workspaces that manage no resources. `safe` and `force` require a scope. @default 'keep' */
  readonly workspaces?: 'keep' | 'safe' | 'force';
  /** Revokes the access of undeclared teams to each project with declared access. @default false */
  readonly teamAccess?: boolean;
}

/** How much a single plan may delete, revoke and update; a plan that exceeds one of the limits is refused. */
export interface LimitsProps {
  /** Workspaces, projects and grants together. @default 10 */
  readonly deletes?: number;
  /** Percentage of the live objects; applies from 10 objects on. @default 30 */
  readonly deletePercent?: number;
  /** Grants that are deleted; they count as deletes, too. @default no limit */
  readonly revokes?: number;
  /** Workspaces, projects and grants that are updated. @default no limit */
  readonly updates?: number;
  /** Percentage of the live objects; applies from 10 objects on. @default no limit */
  readonly updatePercent?: number;
  /** The most days that an exception lasts from now. @default 90 */
  readonly exceptionDays?: number;
}

/** Changes that no plan may contain, whatever the program declares. */
export interface GuardsProps {
  /** Workspaces that must not be deleted or renamed: names with `*`, or selectors; by live and by planned values. */
  readonly protect?: readonly (string | WorkspaceSelector)[];
  /** Teams, by alias, name or id: one of them has to be an admin of each declared project after a plan. */
  readonly keepAdmin?: readonly string[];
  /** Whether a plan must not revoke or lower the access of a team through which the token acts. @default false */
  readonly keepSelf?: boolean;
}

/** Who gets messages; docs/guides/messages.md describes them. */
export interface ReceiverProps {
  /** An incoming webhook of Slack or of a compatible service, or any endpoint that takes JSON. */
  readonly to: ReceiverKind;
  /** The environment variable with the address. */
  readonly urlEnv: string;
  /** The environment variable with the key that signs the messages; only for a webhook. */
  readonly secretEnv?: string;
  /** @default everything */
  readonly on?: readonly MessageEvent[];
}

/** A rule that every plan must meet; docs/guides/policies.md describes the expressions and their data. */
export interface PolicyProps {
  /** Unique, in kebab-case. */
  readonly id: string;
  /** What the policy is evaluated for. @default 'change' */
  readonly on?: PolicySubject;
  /** A CEL expression that selects what the policy applies to. @default everything that `on` names */
  readonly when?: string;
  /** A CEL expression that must hold. */
  readonly require: string;
  /** @default 'error' */
  readonly severity?: Severity;
  /** What a report shows for a violation. */
  readonly message: string;
}

/** A known difference of one field until a date. It is listed, and not written. */
export interface ExceptionProps extends Required<EndingProps> {
  /** The address that differs; `*` is any run of characters, `?` is one character. */
  readonly address: string;
  /** The field that differs, as plans show it: `auto-apply`. */
  readonly field: string;
  /** The live value that is known, as the prop of the field has it. @default every value */
  readonly value?: Value;
}

/** A time in which nothing is written: `from` and `to`, or `cron` and `for`. */
export interface FreezeProps {
  /** The first day, in UTC, or a time with its zone. */
  readonly from?: string;
  /** The last day, in UTC, or a time with its zone. */
  readonly to?: string;
  /** When each period starts: minute, hour, day of month, month, day of week. */
  readonly cron?: string;
  /** How long each period lasts: a number and `m`, `h`, `d` or `w`. */
  readonly for?: string;
  /** The time zone of `cron`. @default 'UTC' */
  readonly timezone?: string;
  readonly reason: string;
  /** The workspaces that are not written. @default everything */
  readonly select?: WorkspaceSelector;
}

/** One organization: the settings of a root file other than its workspaces and grants. */
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
  /** Defaults for every workspace; templates and the workspace itself override them. */
  readonly defaults?: { readonly workspace?: WorkspaceDefaults };
  readonly templates?: Readonly<Record<string, TemplateProps>>;
  /** Roles by name; team access accepts a role instead of a level. */
  readonly roles?: Readonly<Record<string, RoleProps>>;
  readonly scope?: ScopeProps;
  readonly prune?: PruneProps;
  readonly limits?: LimitsProps;
  readonly guards?: GuardsProps;
  readonly notify?: readonly ReceiverProps[];
  /** Known differences of single fields, each until a date. */
  readonly exceptions?: readonly ExceptionProps[];
  /** Times in which nothing is written. */
  readonly freeze?: readonly FreezeProps[];
  /** Rules that every plan must meet. */
  readonly policies?: readonly PolicyProps[];
}

/**
 * One organization, the scope of all other constructs.
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
    const outer = scope.node.scopes.find((one) => one instanceof Organization);
    if (outer)
      throw new AttuneError(
        `${this.node.path} is inside ${outer.node.path}, which is an organization already`,
        { code: 'wrong-scope', hint: 'create it directly in the app' },
      );
    markOrganization(this);
    this.name = props.name ?? id;
    this.props = props;
  }

  /**
   * The organization of a construct.
   *
   * @throws {@link AttuneError} if the construct is not inside an organization.
   * @example
   * ```ts
   * console.log(Organization.of(network) === acme); // true
   * ```
   */
  static of(construct: IConstruct): Organization {
    return organizationScope(construct) as Organization;
  }
}
