import type { Configuration } from '../../desired/configuration.ts';
import type { Difference } from '../../diff/diff.ts';
import type { Live } from '../../live/read-live.ts';
import type { Change } from '../../model/change.ts';
import type { Hold } from '../../model/hold.ts';
import type { PlanPurpose } from '../../model/plan.ts';

/** What decides which changes wait. */
export interface HoldInput {
  readonly configuration: Configuration;
  readonly live: Live;
  /** The comparison that the plan is made from. */
  readonly difference: Difference;
  /** The comparison of everything that is declared, also of what the run leaves out. */
  readonly everything: Difference;
  /** The present time, in milliseconds since 1970. */
  readonly now: number;
  /** Whether the run evaluates an address. */
  readonly chosen: (address: string) => boolean;
  /** Whether freeze windows are ignored. */
  readonly overridesFreeze: boolean;
  /** Nothing of a report on drift is written: only known differences of it are held. */
  readonly purpose: PlanPurpose;
}

/** Holds by address. */
export type HeldChanges = ReadonlyMap<string, readonly Hold[]>;

/** What one kind of rule holds back. */
export interface FoundHolds {
  readonly held: readonly { readonly change: Change; readonly hold: Hold }[];
  /** Whether a date decides something. */
  readonly isDated: boolean;
}

/** The fields that are held; `undefined` for the whole change. */
export function heldFieldsOf(holds: readonly Hold[]): ReadonlySet<string> | undefined {
  const fields = holds.map((hold) => hold.fields);
  return fields.includes(undefined) ? undefined : new Set(fields.flatMap((paths = []) => paths));
}

/** The hold of a whole change, or of one of the given fields. */
export function holdOf(holds: readonly Hold[], paths: ReadonlySet<string>): Hold | undefined {
  return holds.find(({ fields }) => fields?.some((path) => paths.has(path)) ?? true);
}
