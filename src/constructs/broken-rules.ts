import type { IConstruct } from 'constructs';
import type { ProgramProblem } from './plain-value.ts';
import { locate, originOf } from './source-location.ts';

/** What the constructs say about themselves: rules that were added with `node.addValidation`, the users' and Attune's. */
export function brokenRules(constructs: readonly IConstruct[]): ProgramProblem[] {
  return constructs.flatMap((construct) =>
    construct.node
      .validate()
      .map((message) => ({ code: 'broken-rule', message, location: locate(originOf(construct)) })),
  );
}
