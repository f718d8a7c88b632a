import type { Action, FieldChange } from './change.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { Dialect } from './dialect.ts';
import type { SourceLocation } from './location.ts';
import type { ResourceKind } from './state.ts';
import type { Value } from './value.ts';

/** One request that writes. `path` is relative to `/api/v2`; `{workspace.<name>}` stands for an id not known yet. */
export interface Call {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Value;
}

/** A change with the calls that make it, in their order. */
export interface PlannedChange {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly name: string;
  /** Absent where the resource does not exist yet. */
  readonly id?: string;
  readonly action: Action;
  readonly location?: SourceLocation;
  readonly fields: readonly FieldChange[];
  readonly grants?: readonly FieldChange[];
  readonly calls: readonly Call[];
  /** Addresses whose calls must come first. It orders calls, so two changes may name each other. */
  readonly dependsOn: readonly string[];
  /** The live values that the change was computed from and that apply checks again before it overwrites them. */
  readonly facts?: Readonly<Record<string, Value>>;
}

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
}
