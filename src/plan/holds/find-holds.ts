import type { Change } from '../../model/change.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { type Hold, noHoldRules, type RolloutProgress } from '../../model/hold.ts';
import { exceptionHolds } from './exceptions.ts';
import { freezeHolds } from './freeze.ts';
import { heldFieldsOf } from './held-fields.ts';
import type { FoundHolds, HeldChanges, HoldInput } from './hold-input.ts';
import { rolloutHolds } from './rollouts.ts';

/** Why changes wait. */
export interface Holds {
  /** By address. The fields of a change that only waits for another one are not here. */
  readonly byAddress: HeldChanges;
  readonly rollouts: readonly RolloutProgress[];
  readonly diagnostics: readonly Diagnostic[];
  /** Whether a date decides something. */
  readonly isDated: boolean;
}

/**
 * Decides which planned changes, and which of their fields, wait. Pure: the clock is part of the input.
 *
 * Each rule has a separate file. The holds are merged by address, rules in the order of the language.
 */
export function findHolds(input: HoldInput): Holds {
  const { configuration, difference, overridesFreeze, isReport } = input;
  const { exceptions, freeze, rollouts } = configuration.holds ?? noHoldRules;
  const known = exceptionHolds(exceptions, input);
  const planned = rolloutHolds(rollouts, input);
  const rolled = isReport ? { ...planned, held: [] } : planned;
  // A window keeps nothing back of a change that exceptions and rollouts hold anyway.
  const changes = difference.changes.filter((change) => !isHeldBy([known, rolled], change));
  const found: readonly FoundHolds[] = [
    known,
    freezeHolds(overridesFreeze || isReport ? [] : freeze, { ...input, changes }),
    rolled,
  ];
  const byAddress = new Map<string, readonly Hold[]>();
  for (const { change, hold } of found.flatMap(({ held }) => held))
    byAddress.set(change.address, [...(byAddress.get(change.address) ?? []), hold]);
  return {
    byAddress,
    rollouts: planned.progress,
    diagnostics: found.flatMap(({ diagnostics = [] }) => diagnostics),
    isDated: found.some(({ isDated = false }) => isDated),
  };
}

function isHeldBy(found: readonly FoundHolds[], change: Change): boolean {
  const holds = found.flatMap(({ held }) => held.flatMap((one) => (one.change === change ? one.hold : [])));
  const fields = heldFieldsOf(holds);
  return holds.length > 0 && change.fields.every(({ path }) => fields?.has(path) ?? true);
}
