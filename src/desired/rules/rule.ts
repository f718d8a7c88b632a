import type { SourceLocation } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { showPlace } from '../declarations.ts';
import type { Field, Fields } from '../fields.ts';
import type { Loading, Problem } from '../problems.ts';

/** A workspace with all of its layers. */
export interface CheckedWorkspace {
  readonly name: string;
  readonly address: string;
  readonly fields: Fields;
}

export interface RuleContext {
  readonly loading: Loading;
  readonly dialect: Dialect | undefined;
  /** Workspaces that the files delete. */
  readonly tombstones: ReadonlyMap<string, SourceLocation>;
}

export type Rule = (workspace: CheckedWorkspace, context: RuleContext) => Problem | undefined;

/**
 * The location of a conflict of two fields: that of the field that the workspace itself declares, with a reference to the
 * other one. If one layer has both, it is one problem of that layer.
 */
export function conflictPlace(first: Field, second: Field): { location: SourceLocation; see: string } {
  const [here, there] =
    first.layer !== 'workspace' && second.layer === 'workspace' ? [second, first] : [first, second];
  return { location: here.location, see: `see ${showPlace(there.location)}` };
}
