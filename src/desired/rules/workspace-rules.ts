import type { SourceLocation } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { showPlace } from '../declarations.ts';
import type { Field, Fields } from '../fields.ts';
import type { Loading } from '../loading.ts';
import type { Problem } from '../problems.ts';
import { executionRules } from './execution-rules.ts';
import { settingRules } from './setting-rules.ts';
import { sharingRules } from './sharing-rules.ts';

/** A workspace with all of its layers. */
export interface JudgedWorkspace {
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

export type Rule = (workspace: JudgedWorkspace, context: RuleContext) => Problem | undefined;

/** The rules that look at several values, which may come from several layers. */
export function judgeWorkspace(workspace: JudgedWorkspace, context: RuleContext): void {
  for (const rule of [...executionRules, ...settingRules]) {
    const problem = rule(workspace, context);
    if (problem) context.loading.problems.add({ ...problem, address: workspace.address });
  }
  sharingRules(workspace, context);
}

/**
 * Two fields that do not go together: the problem stands at the one that the workspace itself declares, and says where
 * to see the other. Where a layer holds both it is one problem of that layer.
 */
export function conflict(first: Field, second: Field): { location: SourceLocation; see: string } {
  const [here, there] = !first.own && second.own ? [second, first] : [first, second];
  return { location: here.location, see: `see ${showPlace(there.location)}` };
}
