import type { Configuration } from '../../desired/configuration.ts';
import type { Difference } from '../../diff/diff.ts';
import type { Live } from '../../live/read-live.ts';
import { isUnder } from '../../model/attributes.ts';
import { type Change, fieldsTogether } from '../../model/change.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Hold } from '../../model/hold.ts';
import type { PlanPurpose } from '../../model/plan.ts';

/** What decides which changes wait. */
export interface HoldInput {
  readonly configuration: Configuration;
  readonly live: Live;
  /** The comparison that the plan is made from. */
  readonly difference: Difference;
  /** The comparison of everything that is declared: a wave also waits for workspaces that the run leaves out. */
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
  readonly diagnostics?: readonly Diagnostic[];
  readonly isDated?: boolean;
}

/** The fields of a change that wait with a field: the service changes them together, or one is void without the other. */
export function heldFields({ kind, fields }: Change, field: string): readonly string[] {
  const together = fieldsTogether(kind, field);
  return fields.map(({ path }) => path).filter((path) => isUnder(path, field) || together.includes(path));
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
