import type { SourceLocation } from './location.ts';
import type { DeleteMode, Resource, ResourceKind } from './state.ts';
import type { Value } from './value.ts';

/** What a change does, in the order in which changes are told. */
export const actions = ['create', 'update', 'delete'] as const;
/** What a change does. */
export type Action = (typeof actions)[number];

/** One managed key that differs. Lists that are sets also tell what comes and what goes. */
export interface FieldChange {
  readonly path: string;
  readonly before: Value;
  readonly after: Value;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** One resource whose live state differs from the desired one. Values are ids; a plan shows aliases instead. */
export interface Change {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly action: Action;
  /** The live resource; absent for a create. */
  readonly live?: Resource;
  /** The resource as it shall be, unmanaged values copied from the live one; absent for a delete. */
  readonly target?: Resource;
  readonly fields: readonly FieldChange[];
  /** What an access level implies and thereby grants or takes away. */
  readonly grants?: readonly FieldChange[];
  /** The consumer list is declared as additions and removals and must not be replaced as a whole. */
  readonly additiveConsumers?: true;
  /** How a workspace is deleted. */
  readonly deleteMode?: DeleteMode;
  /** Its lock is taken away before it is deleted. */
  readonly unlocks?: true;
  readonly location?: SourceLocation;
}
