import type { SourceLocation } from './diagnostic.ts';
import type { Selector } from './selector.ts';
import type { Moment } from './time.ts';
import type { Value, Values } from './value.ts';

/** The sources of holds. */
export const holdSources = ['exception', 'freeze', 'rollout'] as const;
/** What keeps a part of a plan back. */
export type HoldSource = (typeof holdSources)[number];

/** Why a planned change, or some of its fields, is not sent. */
export interface Hold {
  readonly by: HoldSource;
  readonly reason: string;
  /** When it ends, if a date decides. */
  readonly until?: string;
  /** The fields that are not sent. Absent if the whole change is held. */
  readonly fields?: readonly string[];
}

/** The declared rules for changes that wait. */
export interface HoldRules {
  readonly exceptions: readonly Exception[];
  readonly freeze: readonly FreezeWindow[];
  readonly rollouts: readonly Rollout[];
}

export const noHoldRules: HoldRules = { exceptions: [], freeze: [], rollouts: [] };

/** A known difference of one field, until a date. */
export interface Exception {
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
export interface FreezeWindow {
  readonly reason: string;
  /** The workspaces that are not written. @default everything */
  readonly select?: Selector;
  /** The period that a time is in, else the next one. `undefined` if none follows. */
  readonly periodAt: (time: number) => Period | undefined;
  /** The times as the file has them. */
  readonly written: Values;
  readonly location: SourceLocation;
}

/** Fields that reach the workspaces of a wave after those of the earlier waves. */
export interface Rollout {
  readonly id: string;
  readonly fields: readonly string[];
  /** `rest` is every workspace of no other wave. */
  readonly waves: readonly (Selector | 'rest')[];
  /** Whether a wave also waits for the current runs of the earlier ones. */
  readonly healthy?: 'current-run';
  readonly location: SourceLocation;
}

/** The selectors of freeze windows and waves. */
export function holdSelectors({ freeze, rollouts }: HoldRules): readonly Selector[] {
  const waves = rollouts.flatMap((rollout) => rollout.waves);
  return [
    ...freeze.flatMap(({ select }) => select ?? []),
    ...waves.flatMap((wave) => (wave === 'rest' ? [] : wave)),
  ];
}

/** The rules with other selectors, as when names of projects become ids. */
export function mapHoldSelectors(rules: HoldRules, map: (selector: Selector) => Selector): HoldRules {
  return {
    ...rules,
    freeze: rules.freeze.map((window) => ({
      ...window,
      ...(window.select && { select: map(window.select) }),
    })),
    rollouts: rules.rollouts.map((rollout) => ({
      ...rollout,
      waves: rollout.waves.map((wave) => (wave === 'rest' ? wave : map(wave))),
    })),
  };
}

/** How far a rollout is: its waves, first wave first. */
export interface RolloutProgress {
  readonly id: string;
  readonly waves: readonly WaveProgress[];
}

/** The workspaces of one wave that declare one of the fields. */
export interface WaveProgress {
  /** The selector as the file has it; or `rest`. */
  readonly wave: Selector | 'rest';
  /** Whether the changes of its workspaces are sent: the earlier waves are done and healthy. */
  readonly isOpen: boolean;
  readonly workspaces: number;
  /** How many have the declared values. */
  readonly done: number;
  /** The addresses of those that have other values, or do not exist yet. */
  readonly waiting: readonly string[];
  /** Those whose current run failed, is not finished or is unknown, if the rollout depends on it. */
  readonly unhealthy: readonly UnhealthyWorkspace[];
}

/** A workspace whose current run stops a rollout. */
export interface UnhealthyWorkspace {
  readonly address: string;
  /** The current run; absent if the service did not return it. */
  readonly run?: CurrentRun;
}

/** The current run of a workspace. */
export interface CurrentRun {
  readonly id: string;
  readonly status: string;
}
