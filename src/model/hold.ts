import type { SourceLocation } from './diagnostic.ts';
import type { Selector } from './selector.ts';
import type { Moment } from './time.ts';
import type { Value, Values } from './value.ts';

/** The sources of holds. */
export const holdSources = ['exception', 'freeze'] as const;
/** What keeps a part of a plan back. */
export type HoldSource = (typeof holdSources)[number];

/** What messages call a source. */
export const causeWords = { exception: 'exception', freeze: 'freeze window' } as const;

/** Why a planned change, or some of its fields, is not sent. */
export interface Hold {
  readonly by: HoldSource;
  readonly reason: string;
  /** When it ends. */
  readonly until: string;
  /** The fields that are not sent. Absent if the whole change is held. */
  readonly fields?: readonly string[];
}

/** The declared rules for changes that wait. */
export interface HoldRules {
  readonly exceptions: readonly Exception[];
  readonly freeze: readonly FreezeWindow[];
}

export const noHoldRules: HoldRules = { exceptions: [], freeze: [] };

/** The root file of a rule, in a run of several. @default the only one */
export interface RuleOfRoot {
  /** Its path. */
  readonly root?: string;
  /** Whether its rules apply to an address. @default to every one */
  readonly isOwn?: (address: string) => boolean;
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
  readonly select?: Selector;
  /** The period that a time is in, else the next one. `undefined` if none follows. */
  readonly periodAt: (time: number) => Period | undefined;
  /** The times as the file has them. */
  readonly written: Values;
  readonly location: SourceLocation;
}

/** The selectors of freeze windows. */
export function holdSelectors({ freeze }: HoldRules): readonly Selector[] {
  return freeze.flatMap(({ select }) => select ?? []);
}
