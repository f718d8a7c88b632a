import type { Action, Cause, FieldChange } from './change.ts';
import type { Base } from './configuration.ts';
import type { Diagnostic, SourceLocation } from './diagnostic.ts';
import type { Dialect, Feature } from './dialect.ts';
import type { BindingRule, ListRule } from './list-rule.ts';
import type { AccessLevel, Permissions } from './permissions.ts';
import type { Hold, PolicyResult } from './rules.ts';
import type { DeleteMode, ResourceKind } from './state.ts';
import { groupBy, type Value, type Values } from './value.ts';

/** What the calls of a plan do, in the order in which they start if no dependency orders them. */
export const operations = [
  'createProject',
  'updateProject',
  'upsertProjectBindings',
  'recoverWorkspace',
  'createWorkspace',
  'unlockWorkspace',
  'forceUnlockWorkspace',
  'moveWorkspaces',
  'updateWorkspace',
  'upsertBindings',
  'addTags',
  'removeTags',
  'replaceConsumers',
  'addConsumers',
  'removeConsumers',
  'assignSshKey',
  'setRetention',
  'removeRetention',
  'createGrant',
  'updateGrant',
  'deleteGrant',
  'lockWorkspace',
  'deleteWorkspace',
  'deleteProject',
] as const;
export const mostMoved = 100;

/** What a call of a plan does. */
export type Operation = (typeof operations)[number];

/**
 * What a plan is for. `drift` only reports: it reads the scope in full and checks no limits. `undo` plans a part of an
 * organization. `replan` plans the addresses of a saved plan again. `review` plans an apply that another token can make.
 */
export type PlanPurpose = 'apply' | 'review' | 'drift' | 'undo' | 'replan';

/** One request that writes. `path` is relative to `/api/v2`. */
export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: Value | undefined;
}

/** One request of a plan with its intent. `{workspace.<name>}` or `{project.<alias>}` is a placeholder for an unknown id. */
export interface Call extends WriteRequest {
  readonly operation: Operation;
  /** How a workspace is deleted; present for `deleteWorkspace` only. */
  readonly mode?: DeleteMode | undefined;
  /** The id of the deleted workspace; present for `recoverWorkspace` only. */
  readonly recovers?: string | undefined;
}

export interface Written {
  readonly values: Values;
  readonly tags?: ListRule | undefined;
  readonly consumers?: ListRule | undefined;
  readonly bindings?: BindingRule | undefined;
}

/** How many requests are saved because workspaces that only move to the same project are moved together. */
export function savedRequests(calls: Iterable<Call>): number {
  const moves = [...calls].filter(({ operation }) => operation === 'moveWorkspaces');
  const groups = [...groupBy(moves, ({ path }) => path).values()];
  return groups.reduce((saved, { length }) => saved + length - Math.ceil(length / mostMoved), 0);
}

/** A change with the calls that make it, in their order. */
export interface PlannedChange {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly name: string;
  /** Absent where the resource does not exist yet. */
  readonly id?: string | undefined;
  readonly action: Action;
  /** How a workspace is deleted; present where `action` is `delete` and `kind` is `workspace`. */
  readonly mode?: DeleteMode | undefined;
  /**
   * Whether the service keeps a deleted workspace for some days. Present for the deletion of a workspace or project, if
   * the organization shows whether it does.
   */
  readonly recovery?: 'recoverable' | 'final' | undefined;
  readonly location?: SourceLocation | undefined;
  /** The number of managed resources of a workspace that is deleted; absent where the service does not return it. */
  readonly resources?: number | undefined;
  readonly fields: readonly FieldChange[];
  /** Of a create or a delete with `--base`. An update has the cause of each field. */
  readonly cause?: Cause | undefined;
  /** The line that declares each field, by path. It can be a line of a template. */
  readonly origins?: Readonly<Record<string, SourceLocation>> | undefined;
  readonly grants?: readonly FieldChange[] | undefined;
  /** When the access ends that the change grants, as the files have it. */
  readonly until?: string | undefined;
  readonly calls: readonly Call[];
  /** Why it, or some of its fields, is not sent now. What is held has no calls. */
  readonly held?: readonly Hold[] | undefined;
  /** The entry of `guards.protect` that no longer protects the workspace, or one of the project, after the change; or `freeze: REASON` of such a window. */
  readonly protectionLost?: string | undefined;
  /** Addresses whose calls must come first. It orders calls, so two changes may refer to each other. */
  readonly dependsOn: readonly string[];
  /** The next freeze window that selects it and begins after the plan is made, so that an apply stops before it. */
  readonly nextFreeze?: (Pick<Hold, 'reason' | 'until'> & { readonly from: string }) | undefined;
  /** The live values that the change was computed from. Apply rechecks them before it overwrites them. */
  readonly facts?: Values | undefined;
  /** The SHA-256 of the declaration of the address; absent if it is undeclared. */
  readonly declared?: string | undefined;
}

/** The counts of a plan. */
export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  /** Declared resources without a difference. */
  readonly unchanged: number;
  /** Changes of which all or a part is held; those that are held as a whole count nowhere else. Absent if there are none. */
  readonly held?: number;
  readonly calls: number;
}

export function isHeld({ held, calls }: Pick<PlannedChange, 'held' | 'calls'>): boolean {
  return held !== undefined && calls.length === 0;
}

export function isFrozen(change: Pick<PlannedChange, 'held'> | undefined): boolean {
  return change?.held?.some(({ by }) => by === 'freeze') ?? false;
}

/** What is sent now of changes: without those that are held, and without the fields that are held. */
export function sentChanges<Held extends PlannedChange>(changes: readonly Held[]): readonly Held[] {
  return changes.flatMap((change) => {
    if (change.held === undefined) return change;
    if (isHeld(change)) return [];
    const { held, ...sent } = change;
    const paths = new Set(held.flatMap(({ fields = [] }) => fields));
    return { ...(sent as Held), fields: change.fields.filter(({ path }) => !paths.has(path)) };
  });
}

export function hasDifference({ changes }: Pick<Plan, 'changes'>): boolean {
  return !changes.every(isHeld);
}

/** The ordered changes with the exact calls that will make them. It is plain data that can be saved, printed and applied. */
export interface Plan {
  readonly organization: string;
  /** The service's address, or the word `embedded`. */
  readonly address: string;
  readonly dialect: Dialect;
  /** What the service did not offer when the plan was made; absent if nothing is known to be missing. */
  readonly without?: readonly Feature[] | undefined;
  /** The time for which it was made, if a date decides something. */
  readonly at?: string | undefined;
  /** Why the freeze windows were overridden; absent if they were not. */
  readonly freezeOverridden?: string | undefined;
  /** It was made for another time than the present one, and is never applied. */
  readonly hypothetical?: true | undefined;
  /** Only what time alone decides is planned: access and exceptions that have ended. */
  readonly due?: true | undefined;
  /** The plan reverts the run of a journal; absent for other plans. */
  readonly undo?: true | undefined;
  readonly summary: PlanSummary;
  readonly changes: readonly PlannedChange[];
  /**
   * Undeclared live resources: workspaces in scope, if the scope was read in full, and grants of projects whose
   * access the files declare.
   */
  readonly unmanaged: readonly string[];
  /** The grants among `unmanaged`; absent if there are none. */
  readonly undeclaredAccess?: readonly UndeclaredGrant[] | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The result of each policy; absent if there are none. */
  readonly policies?: readonly PolicyResult[] | undefined;
  /** What the plan was compared with; absent without `--base`. */
  readonly base?: Pick<Base, 'ref' | 'commit' | 'onlyChanged'> | undefined;
  /** What the base declares, and the files no longer do; absent if no base was loaded. */
  readonly noLongerDeclared?: readonly NoLongerDeclared[] | undefined;
  /** Access that the changes grant or revoke. */
  readonly effects: Effects;
  /** State sharing and team access before and after, as far as they were read. */
  readonly overview: Overview;
}

/** A live grant that no file declares, of a project whose access the files declare. */
export interface UndeclaredGrant {
  readonly address: string;
  readonly projectId: string;
  readonly teamId: string;
  readonly access: AccessLevel;
  /** The line of the project under `team-access`. */
  readonly location?: SourceLocation | undefined;
  readonly hint: string;
}

/** A resource, or a field of it, that the base declares and the files no longer do. It stays on the service as it is. */
export interface NoLongerDeclared {
  readonly address: string;
  /** Absent if nothing of the resource is declared. */
  readonly field?: string | undefined;
  /** In the base, relative to the root file's folder. */
  readonly location?: SourceLocation | undefined;
}

/** Access that is gained and lost, by names and aliases. */
export interface Effects {
  readonly stateAccess: readonly StateAccessChange[];
  readonly moves: readonly MoveEffect[];
  /** Absent if no workspace inherits other key/value tags than before. */
  readonly inheritedTags?: readonly InheritedTags[] | undefined;
  /** Absent if no setting in effect changes through a project. */
  readonly inherited?: readonly InheritedSetting[] | undefined;
}

/**
 * A setting in effect that a workspace inherits, and that changes: an execution mode, an agent pool, a destroy schedule, or
 * all key/value tags in effect.
 */
export interface InheritedSetting {
  readonly address: string;
  /** `execution-mode`, `agent-pool-id`, `auto-destroy-activity-duration` or `tag-bindings`. */
  readonly path: string;
  /** `null` for no pool or schedule. */
  readonly before: Value;
  /** `null` for no pool or schedule, and `unknown` for a mode of the organization that was not read. */
  readonly after: Value;
  /** `move` if the workspace moves; else `project`, also where it gives up its own value. */
  readonly from: 'move' | 'project';
}

/** Key/value tags that workspaces newly inherit from their project, or no longer have. Own tags are fields. */
export interface InheritedTags {
  /** The project after the plan. */
  readonly project: string;
  readonly workspaces: readonly string[];
  /** As `key=value`, or a key without a value. */
  readonly gains: readonly string[];
  readonly loses: readonly string[];
}

/**
 * A workspace whose state gains or loses readers. `*` means every workspace of the organization, `<project>/*` every
 * workspace of a project.
 */
export interface StateAccessChange {
  /** The workspace that owns the state. */
  readonly workspace: string;
  readonly gains: readonly string[];
  readonly loses: readonly string[];
  /** One side is not known by name: the service returns no list while a switch shares the state. */
  readonly unknown?: true | undefined;
}

export function membersOf(project: string): string {
  return `${project}/*`;
}

export function projectOfMembers(reader: string): string | undefined {
  return reader.endsWith('/*') ? reader.slice(0, -2) : undefined;
}

/** The effect of a move between projects on the teams that have access to either. */
export interface MoveEffect {
  readonly workspace: string;
  readonly from: string;
  readonly to: string;
  readonly teams: readonly {
    readonly team: string;
    readonly before: AccessLevel | 'unknown' | null;
    readonly after: AccessLevel | 'unknown' | null;
    /** Empty where one side is unknown. */
    readonly permissions: readonly FieldChange[];
  }[];
  /** Projects whose team access was not read. Teams that have access only there are not in the list. */
  readonly unknown: readonly string[];
}

/** State sharing and team access before and after the plan, as far as they were read. */
export interface Overview {
  /** All workspaces that were read or are created, by name; deleted ones too. */
  readonly workspaces: readonly WorkspaceOverview[];
  /** The grants of all projects that were read. */
  readonly grants: readonly GrantOverview[];
  /** The projects whose team access was read. The team access of other projects is unknown. */
  readonly projects?: readonly string[] | undefined;
  /** How much of the scope was read for undeclared workspaces: `none` if the configuration has no scope. */
  readonly scope: 'whole' | 'not-whole' | 'none';
  /** The effects under ids: `apply --plan` compares them. Other reads can show other names. */
  readonly effects?: Effects | undefined;
  /** The ids behind aliases and names, as far as they are known: other root files may call the same project otherwise. */
  readonly ids?: Readonly<Record<'projects' | 'teams', Readonly<Record<string, string>>>> | undefined;
}

/** A workspace and who may read its state, before and after. */
export interface WorkspaceOverview {
  /** The name after the plan; for a deletion, the name before it. */
  readonly name: string;
  readonly action: Action | null;
  readonly project: string | null;
  /** The workspaces that may read its state: names, `<project>/*` for all of a project, `*` for all, `null` if unknown. */
  readonly readers: {
    readonly before: readonly string[] | '*' | null;
    readonly after: readonly string[] | '*' | null;
  };
}

/** A team's access to a project, before and after; `null` where there is none. */
export interface GrantOverview {
  readonly project: string;
  readonly team: string;
  readonly before: GrantState | null;
  readonly after: GrantState | null;
}

/** A level with its effective permissions, by permission path. */
export interface GrantState {
  readonly access: AccessLevel;
  readonly permissions: Permissions;
}
