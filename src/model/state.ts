import type { AttributeValues, ProjectAttributeValues } from './attribute-values.ts';
import type { SourceLocation } from './diagnostic.ts';
import { asListRule, type BindingRule, type ListRule, namedEntries, type TagBindings } from './list-rule.ts';
import type { AccessLevel } from './permissions.ts';
import type { Selector } from './selector.ts';
import type { Moment, Value, Values } from './value.ts';

/** The kinds of resource, in the order in which reports list them. */
export const resourceKinds = ['project', 'workspace', 'team-access'] as const;
/** One of the kinds of resource. */
export type ResourceKind = (typeof resourceKinds)[number];

/** One resource, desired or live. Each module has a `Record<ResourceKind, …>` with what it does for a kind. */
export type Resource = ProjectResource | WorkspaceResource | GrantResource;
/** The resource of a kind. */
export type ResourceOf<Kind extends ResourceKind> = Extract<Resource, { readonly kind: Kind }>;

/**
 * The properties that all kinds share.
 *
 * `attributes` holds the managed values of a desired resource, and all known values of a live one, under the neutral
 * names with dots for nesting (`vcs-repo.branch`, `workspace-access.runs`). A missing key is unmanaged (desired) or
 * not returned by the service (live); `null` is "cleared" or "has none".
 */
export interface ResourceBase<Kind extends string, Attributes extends Values> {
  readonly kind: Kind;
  readonly address: string;
  readonly name: string;
  /** The service's id. A desired resource has none, except a managed project. */
  readonly id?: string | undefined;
  readonly attributes: Attributes;
  readonly location?: SourceLocation | undefined;
  /** Live: what the token may not do with it, such as `can-update`; absent if nothing is known to be denied. */
  readonly denied?: readonly string[] | undefined;
  /** Declared options that are not values of the resource. */
  readonly declared?: Declared | undefined;
}

/**
 * A project that Attune creates, updates and deletes. Desired: its name is the alias of the files, and the name on the
 * service is an attribute. Live: address and name hold the id.
 */
export interface ProjectResource extends ResourceBase<'project', ProjectValues> {}

/** A workspace. Its name is unique in its organization (interface, section 2.1). */
export interface WorkspaceResource extends ResourceBase<'workspace', WorkspaceValues> {
  /**
   * Sets of a live workspace in the service's own order, where it differs from the order in `attributes`. Only the
   * Terraform export depends on it.
   */
  readonly listed?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Live: it has no resources and no run, as after a creation that was interrupted. */
  readonly isUnused?: true | undefined;
}

/** A team's access to a project. Its name is `<project>/<team>` as the file writes them; ids where it is live. */
export interface GrantResource extends ResourceBase<'team-access', GrantValues> {}

/** The attributes of the attribute table, and what a workspace has in addition. */
export type WorkspaceValues = Values &
  AttributeValues & {
    /** `null` where it has no repository. */
    readonly 'vcs-repo'?: Value;
    /** The project's id. */
    readonly project?: string;
    /** The SSH key's id. */
    readonly 'ssh-key'?: string | null;
    /** Live: names. Desired: a rule. */
    readonly tags?: readonly string[] | ListRule;
    /** Live: the workspace's own. Desired: a rule. */
    readonly 'tag-bindings'?: TagBindings | BindingRule;
    /** Live: those of its project that it does not override. */
    readonly 'inherited-tag-bindings'?: TagBindings;
    /** Live: ids. Desired: a rule. */
    readonly 'remote-state-consumers'?: readonly string[] | ListRule<ConsumerRef>;
    readonly lock?: LockValue;
    readonly 'data-retention'?: DataRetention | null;
    /** Live, where only the id of a policy is known so far. */
    readonly 'data-retention-policy'?: string;
    /**
     * Live: the duration of its project, where it inherits the destroy schedule; `null` if the project has none. Its own
     * time and duration are `null` then.
     */
    readonly 'inherited-auto-destroy-activity-duration'?: string | null;
    /** Live: the number of managed resources. */
    readonly 'resource-count'?: number;
  };

/** Locked or not; `by` is the id of the lock's holder, if the service returns it. */
export type LockValue = { readonly locked: boolean; readonly reason?: string; readonly by?: string };
/** How long a workspace keeps old data (interface, section 4.7): a number of days, or for ever. */
export type DataRetention = { readonly 'delete-older-than-days': number } | { readonly 'dont-delete': true };

/** The attributes of the project table. */
export type ProjectValues = Values &
  ProjectAttributeValues & {
    /** Live: key/value tags. Desired: a rule. */
    readonly 'tag-bindings'?: TagBindings | BindingRule;
    /** Live: the number of its Stacks; absent if it has none. */
    readonly 'stack-count'?: number;
  };

/** A level, and under `custom` the permissions of the permission table. */
export type GrantValues = Values & {
  /** The project's id. */
  readonly project: string;
  /** The team's id. */
  readonly team: string;
  /** Absent where the grant is revoked. */
  readonly access?: AccessLevel;
};

/** Declared options of a resource that are not values of it. */
export interface Declared {
  readonly renamedFrom?: string | undefined;
  /** The workspace keeps its live name, because its rename waits. */
  readonly keepsName?: true | undefined;
  readonly protect?: boolean | undefined;
  /** A tombstone or a revoked grant: the resource must not exist. */
  readonly absent?: DeleteMode | undefined;
  /** A tombstone whose workspace is unlocked before it is deleted. */
  readonly unlocks?: true | undefined;
  /** An unlock that removes the lock of any holder. */
  readonly forcesUnlock?: true | undefined;
  /** A deleted workspace that is recovered instead of created: its id, and that of the item that keeps it. */
  readonly recovers?: { readonly workspace: string; readonly item: string } | undefined;
  /** The declared destroy schedule is the workspace's own, even if it would inherit the same one. */
  readonly ownsSchedule?: true | undefined;
  /** Settings that allow the deletion only while they are unchanged, as those of what an undo deletes. */
  readonly unchanged?: readonly string[] | undefined;
  /** When a grant ends: it counts as revoked from then on. */
  readonly until?: Moment | undefined;
  /** Why a grant exists. */
  readonly reason?: string | undefined;
  /** The locations of single attributes and of entries (`path entry`), for errors that need live values. */
  readonly locations?: Readonly<Record<string, SourceLocation>> | undefined;
}

/** `safe` deletes only a workspace that manages no resources; `force` deletes any workspace. */
export type DeleteMode = 'safe' | 'force';

/** Resources by address. */
export interface State {
  readonly organization: string;
  readonly resources: ReadonlyMap<string, Resource>;
}

export function resourcesOf<Kind extends ResourceKind>(
  resources: Iterable<Resource>,
  kind: Kind,
): ResourceOf<Kind>[] {
  return [...resources].filter((resource): resource is ResourceOf<Kind> => resource.kind === kind);
}

export function findWorkspace({ resources }: State, name: string): WorkspaceResource | undefined {
  const found = resources.get(workspaceAddress(name));
  return found?.kind === 'workspace' ? found : undefined;
}

/** An entry of a declared consumer list: a workspace's name, its id, or a selector that is evaluated on the state after the plan. */
export type ConsumerRef = string | Selector;

/** The entries of a declared list of consumers. */
export function consumersIn(list: Value | undefined): readonly ConsumerRef[] {
  const rule = asListRule<ConsumerRef & Value>(list);
  return rule ? namedEntries(rule) : [];
}

export function kindOfAddress(address: string): ResourceKind | undefined {
  return resourceKinds.find((kind) => address.startsWith(`${kind}.`));
}

export function canMatchKind(pattern: string, kind: ResourceKind): boolean {
  return (kindOfAddress(pattern) ?? kind) === kind;
}

export function nameOfAddress(address: string): string {
  return address.slice(address.indexOf('.') + 1);
}

export function workspaceAddress(name: string): string {
  return `workspace.${name}`;
}

export function projectAddress(alias: string): string {
  return `project.${alias}`;
}

export function placeholderOf(address: string): string {
  return `{${address}}`;
}

/** Whether an id is a placeholder: of an object that is created, or whose name is not looked up yet. */
export function isPlaceholder(id: string): boolean {
  return id.startsWith('{');
}

export function addressIn(placeholder: string): string {
  return placeholder.slice(1, -1);
}

export function uncreatedProject(alias: string): string {
  return placeholderOf(projectAddress(alias));
}

export function isUncreatedProject(id: string): boolean {
  return id.startsWith('{project.');
}

export function grantAddress(project: string, team: string): string {
  return `team-access.${project}/${team}`;
}

/** The project and the team in the name of a grant. The name of a project can have slashes, that of a team has none. */
export function namesOfGrant(name: string): { readonly project: string; readonly team: string } {
  const slash = name.lastIndexOf('/');
  return { project: name.slice(0, slash), team: name.slice(slash + 1) };
}

/**
 * How two states know one resource, the surest text first: its id, then its name and the name that it had. A declared workspace
 * has no id, a grant is its project and team, and a declared project has an alias, too.
 */
export function identity(resource: Resource): readonly [string, ...string[]] {
  const { kind, address, name, id, declared, attributes } = resource;
  const former = declared?.renamedFrom;
  const known = id === undefined || isPlaceholder(id) ? [] : [`${kind} with id ${id}`];
  switch (kind) {
    case 'project': {
      const names = [attributes.name, former].filter((one) => typeof one === 'string');
      const texts = [...known, ...names.map((one) => `project called ${one.toLowerCase()}`)];
      return firstOf(name === id ? texts : [...texts, address]);
    }
    case 'workspace':
      return firstOf([...known, address, ...(former === undefined ? [] : [workspaceAddress(former)])]);
    case 'team-access':
      return [grantAddress(attributes.project, attributes.team)];
  }
}

function firstOf(texts: readonly string[]): readonly [string, ...string[]] {
  return texts as readonly [string, ...string[]];
}

export function findAmong<Found extends Resource>(
  others: Iterable<Found>,
): (texts: readonly string[]) => Found | undefined {
  const byText = new Map([...others].flatMap((one) => identity(one).map((text) => [text, one] as const)));
  return (texts) => texts.flatMap((text) => byText.get(text) ?? [])[0];
}

/** Ids and names have the same characters. A text that starts like an id is one, unless a workspace has that name. */
export function isWorkspaceId(text: string): boolean {
  return /^ws-[A-Za-z0-9]+$/.test(text);
}

/** The ids of the service have this length. Such names are not looked up, because each look-up costs a request. */
export function isUnmistakableId(text: string): boolean {
  return /^ws-[A-Za-z0-9]{16}$/.test(text);
}
