import type { Severity, SourceLocation } from './diagnostic.ts';

/** What a policy is evaluated for: each change, each declared resource of a kind after the plan, or the plan as a whole. */
export const policySubjects = ['change', 'workspace', 'grant', 'project', 'plan'] as const;
/** What a policy is evaluated for. */
export type PolicySubject = (typeof policySubjects)[number];

/** A rule that plans must meet, as CEL expressions. */
export interface Policy {
  readonly id: string;
  readonly on: PolicySubject;
  /** Selects what the rule applies to; absent: everything that `on` names. */
  readonly when?: PolicyExpression;
  /** Holds for everything that the policy applies to. */
  readonly require: PolicyExpression;
  readonly severity: Severity;
  readonly message: string;
  /** Where its id is declared. */
  readonly location: SourceLocation;
  /** The fields that its expressions use, so that a plan reads the values that cost separate requests. */
  readonly fields: readonly string[];
}

/** A CEL expression of a file. */
export interface PolicyExpression {
  readonly text: string;
  /** The place of a character of the text in its file. */
  readonly at: (offset: number) => SourceLocation;
  /** The same place as the user named the file, if that is not relative to the folder of the root file. */
  readonly namedAt?: (offset: number) => SourceLocation;
}

/** How often a policy was evaluated for a plan, and how many violations it found. */
export interface PolicyResult {
  readonly id: string;
  readonly on: PolicySubject;
  readonly severity: Severity;
  /** The file that declares it, relative to the root file's folder. */
  readonly file: string;
  /** How many changes or resources it applied to; 0 or 1 for a policy on the plan. */
  readonly checked: number;
  readonly violations: number;
  /** Its `when` selected nothing. */
  readonly notApplicable?: true;
  /** Why it has no complete result: an expression failed, or took too many steps. */
  readonly failed?: true;
}
