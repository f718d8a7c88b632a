import type { Action, FieldChange } from './change.ts';
import type { Diagnostic, SourceLocation } from './diagnostic.ts';
import type { Dialect } from './dialect.ts';
import type { AccessLevel, Permissions } from './permissions.ts';
import type { DeleteMode, ResourceKind } from './state.ts';
import type { Value, Values } from './value.ts';

/** What the calls of a plan do, in the order in which they start where nothing else decides. */
export const operations = [
  'createProject',
  'updateProject',
  'upsertProjectBindings',
  'createWorkspace',
  'unlockWorkspace',
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
/** What a call of a plan does. */
export type Operation = (typeof operations)[number];

/** One request that writes. `path` is relative to `/api/v2`. */
export interface WriteRequest {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Value;
}

/** One request of a plan with its intent. `{workspace.<name>}` or `{project.<alias>}` stands for an id that is not known yet. */
export interface Call extends WriteRequest {
  readonly operation: Operation;
  /** How a workspace is deleted; present for `deleteWorkspace` only. */
  readonly mode?: DeleteMode;
}

/** A change with the calls that make it, in their order. */
export interface PlannedChange {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly name: string;
  /** Absent where the resource does not exist yet. */
  readonly id?: string;
  readonly action: Action;
  /** How a workspace is deleted; present where `action` is `delete` and `kind` is `workspace`. */
  readonly mode?: DeleteMode;
  readonly location?: SourceLocation;
  /** The number of managed resources of a workspace that is deleted; absent where the service does not return it. */
  readonly resources?: number;
  readonly fields: readonly FieldChange[];
  /** The line that declares each field, by path: the line of a template, if the value comes from there. */
  readonly origins?: Readonly<Record<string, SourceLocation>>;
  readonly grants?: readonly FieldChange[];
  readonly calls: readonly Call[];
  /** The entry of `guards.protect` that protects the live workspace and no longer protects it after the change. */
  readonly protectionLost?: string;
  /** Addresses whose calls must come first. It orders calls, so two changes may name each other. */
  readonly dependsOn: readonly string[];
  /** The live values that the change was computed from and that apply checks again before it overwrites them. */
  readonly facts?: Values;
  /** The SHA-256 of what the files declare for the address; absent where no file declares it. */
  readonly declared?: string;
}

/** A plan in figures. */
export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  /** Declared resources without a difference. */
  readonly unchanged: number;
  readonly calls: number;
}

/** The ordered changes with the exact calls that will make them. Pure data: can be saved, shown, applied. */
export interface Plan {
  readonly organization: string;
  /** The service's address, or the word `embedded`. */
  readonly address: string;
  readonly dialect: Dialect;
  readonly summary: PlanSummary;
  readonly changes: readonly PlannedChange[];
  /** Live workspaces in scope that no file declares; empty where the scope was not read in full. */
  readonly unmanaged: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** What the changes mean for people. */
  readonly effects: Effects;
  /** The whole picture before and after, as far as it was read; for reports that draw it. */
  readonly overview: Overview;
}

/** Who gains and who loses what, told by names and aliases. */
export interface Effects {
  readonly stateAccess: readonly StateAccessChange[];
  readonly moves: readonly MoveEffect[];
}

/** Whose state is read by others than before. `*` stands for every workspace of the organization. */
export interface StateAccessChange {
  /** The workspace whose state it is. */
  readonly workspace: string;
  readonly gains: readonly string[];
  readonly loses: readonly string[];
  /** Which workspaces still read it is not known: the service does not return a list while the state is shared with all. */
  readonly unknown?: true;
}

/** What a move between projects means for the teams that have access to either. */
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
  /** Projects whose team access was not read: a team that has access there alone is not in the list. */
  readonly unknown: readonly string[];
}

/** What was read and planned, at a glance. */
export interface Overview {
  /** All workspaces that were read or are created, by name; deleted ones too. */
  readonly workspaces: readonly WorkspaceOverview[];
  /** The grants of all projects that were read. */
  readonly grants: readonly GrantOverview[];
  /** The projects whose team access was read; that of other projects is unknown. */
  readonly projects?: readonly string[];
  /** Whether undeclared workspaces were looked for. */
  readonly scope: ScopeReading;
}

/** What was read of the scope: all of it, not all of it, or nothing because the files have no scope. */
export const scopeReadings = ['whole', 'not-whole', 'none'] as const;
/** How much of the scope was read. */
export type ScopeReading = (typeof scopeReadings)[number];

/** A workspace and who may read its state, before and after. */
export interface WorkspaceOverview {
  /** As it will be called, or as it was where it is deleted. */
  readonly name: string;
  readonly action: Action | null;
  readonly project: string | null;
  /** Who may read its state: names, `*` for all, `null` where that was not read. */
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

/** A level with what it comes to, by permission path. */
export interface GrantState {
  readonly access: AccessLevel;
  readonly permissions: Permissions;
}
