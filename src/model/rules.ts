import type { Severity, SourceLocation } from './diagnostic.ts';
import type { Selector } from './selector.ts';
import type { Moment, Value, Values } from './value.ts';

export const causeWords = { exception: 'exception', freeze: 'freeze window' } as const;

/** Why a planned change, or some of its fields, is not sent. */
export interface Hold {
  readonly by: 'exception' | 'freeze';
  readonly reason: string;
  /** When it ends; `further notice` without an end. */
  readonly until: string;
  /** The fields that are not sent. Absent if the whole change is held. */
  readonly fields?: readonly string[] | undefined;
}

export function holdText({ by, reason, until }: Hold): string {
  return `${causeWords[by]} until ${until}: ${reason}`;
}

export const withoutEnd = 'further notice';

export function lastEnd(holds: readonly Pick<Hold, 'until'>[]): string {
  return holds.map(({ until }) => until).reduce((one, other) => (one > other ? one : other), '');
}

/** The declared rules for changes that wait. */
export interface HoldRules {
  readonly exceptions: readonly Exception[];
  readonly freeze: readonly FreezeWindow[];
}

/** The root file of a rule, in a run of several. @default the only one */
export interface RuleOfRoot {
  /** Its path. */
  readonly root?: string;
  /** Whether its rules apply to an address. @default to every one */
  readonly isOwn?: (address: string) => boolean;
  /** Whether the root file declares an address. @default none */
  readonly declares?: (address: string) => boolean;
}

/** A known difference of one field, until a date. */
export interface Exception extends RuleOfRoot {
  /** The days that it may last, by the limits of its root file. @default those of the configuration */
  readonly days?: number | undefined;
  /** An address, with `*` and `?` as in `--only`. */
  readonly address: string;
  readonly field: string;
  /** The only live value that is known. @default every value */
  readonly value?: Value;
  readonly until: Moment;
  readonly reason: string;
  readonly location: SourceLocation;
}

/** A period, in milliseconds since 1970. It includes its start and not its end. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** Periods in which nothing is written. */
export interface FreezeWindow extends RuleOfRoot {
  readonly reason: string;
  /** The workspaces that are not written. @default everything */
  readonly select?: Selector | undefined;
  /** The period that a time is in, else the next one. `undefined` if none follows. */
  readonly periodAt: (time: number) => Period | undefined;
  /** The times as the file has them. */
  readonly written: Values;
  readonly location: SourceLocation;
}

export function holdSelectors({ freeze }: HoldRules): readonly Selector[] {
  return freeze.flatMap(({ select }) => select ?? []);
}

/** What a policy is evaluated for: each change, each declared resource of a kind after the plan, or the plan as a whole. */
export const policySubjects = ['change', 'workspace', 'grant', 'project', 'plan'] as const;
/** What a policy is evaluated for. */
export type PolicySubject = (typeof policySubjects)[number];

/** A rule that plans must meet, as CEL expressions. */
export interface Policy {
  readonly id: string;
  readonly on: PolicySubject;
  /** Selects what the rule applies to; absent: everything that `on` names. */
  readonly when?: PolicyExpression | undefined;
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
  readonly notApplicable?: true | undefined;
  /** Why it has no complete result: an expression failed, or took too many steps. */
  readonly failed?: true | undefined;
}

/** What a message reports, the most important first. */
export const messageEvents = ['failed', 'applied', 'attention', 'drift'] as const;
/** What a message reports: a failure, applied changes, something that needs attention, or a difference. */
export type MessageEvent = (typeof messageEvents)[number];

/** The kinds of receivers. */
export const receiverKinds = ['slack', 'webhook'] as const;
/** What takes messages: an incoming webhook of Slack or of a compatible service, or any HTTP endpoint. */
export type ReceiverKind = (typeof receiverKinds)[number];

/** An entry of `notify`. */
export interface Receiver {
  readonly to: ReceiverKind;
  /** The environment variable with the address, which is a secret. */
  readonly urlEnv: string;
  /** The environment variable with the key of the signature; only for a webhook. */
  readonly secretEnv?: string | undefined;
  /** What it gets messages about. */
  readonly on: readonly MessageEvent[];
}
