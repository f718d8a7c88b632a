import { type Edge, orderOf } from '../diff/order.ts';
import type { Change } from '../model/change.ts';
import type { FreezeWindow, Hold } from '../model/hold.ts';
import { exceptionHolds } from './exceptions.ts';
import { freezeHolds } from './freeze.ts';
import { type FilterInput, type HeldChanges, heldFieldsOf, type Kept, type LeftOut } from './keep-live.ts';
import { declaredAlike, notReviewed } from './only-changed.ts';

/** What keeps its live value in this run. Pure: the clock is part of the input. */
export function keptIn(input: FilterInput): Kept {
  const { configuration, found, reviewed } = input;
  const { parts, diagnostics } = reviewed ? notReviewed(reviewed, configuration) : declaredAlike(input);
  const changes = found.changes.flatMap((change) => withoutParts(change, parts.get(change.address)));
  const known = exceptionHolds(configuration.holds?.exceptions ?? [], { ...input, changes });
  const frozen = freezeHolds(windowsOf(input), {
    ...input,
    // A window keeps nothing back of a change that exceptions hold anyway.
    changes: changes.filter((change) => !holdsAll(known.held.get(change.address), change)),
  });
  return {
    leftOut: union(parts, known.unchanged, frozen.unchanged),
    changes,
    held: withDependents(changes, merged(known.held, frozen.held)),
    diagnostics: [...diagnostics, ...known.diagnostics],
    isDated: known.isDated || frozen.isDated,
  };
}

/** The windows that count. */
export function windowsOf({
  configuration,
  overridesFreeze,
  purpose,
}: Pick<FilterInput, 'configuration' | 'overridesFreeze' | 'purpose'>): readonly FreezeWindow[] {
  return overridesFreeze || purpose === 'drift' ? [] : (configuration.holds?.freeze ?? []);
}

/** A change without the parts that are left out; none if nothing remains. */
function withoutParts(change: Change, parts: ReadonlySet<string> | 'all' | undefined): Change[] {
  if (parts === undefined) return [change];
  if (parts === 'all') return [];
  const fields = change.fields.filter(({ path }) => !parts.has(path));
  return fields.length > 0 ? [{ ...change, fields }] : [];
}

/** The holds with those of changes that need a held one. */
function withDependents(changes: readonly Change[], held: HeldChanges): HeldChanges {
  const before = orderOf(changes);
  const edges = changes.flatMap((change) => before(change).map((edge) => ({ ...edge, change })));
  const all = new Map(held);
  const waiting = [...held.keys()];
  // Grows with what waits, too.
  for (const address of waiting)
    for (const { change, ...edge } of edges) {
      if (edge.address !== address) continue;
      const hold = waitsFor(edge, all.get(address) ?? [], all.get(change.address) ?? []);
      if (hold === undefined) continue;
      all.set(change.address, [...(all.get(change.address) ?? []), hold]);
      waiting.push(change.address);
    }
  return all;
}

/** The hold of a change that needs something held, unless it has it. */
function waitsFor({ address, fields, needing }: Edge, held: readonly Hold[], own: readonly Hold[]) {
  const hold = held.find((one) => one.fields === undefined || one.fields.some((path) => fields?.has(path)));
  const ownFields = heldFieldsOf(own);
  const missing = needing?.filter((path) => !ownFields?.has(path));
  if (hold === undefined || (own.length > 0 && ownFields === undefined) || missing?.length === 0)
    return undefined;
  const { fields: _fields, ...rest } = hold;
  return { ...rest, reason: `needs ${address}: ${hold.reason}`, ...(missing && { fields: missing }) };
}

function union(...all: readonly LeftOut[]): LeftOut {
  const parts = new Map<string, ReadonlySet<string> | 'all'>();
  for (const one of all)
    for (const [address, more] of one) {
      const known = parts.get(address) ?? [];
      parts.set(address, known === 'all' || more === 'all' ? 'all' : new Set([...known, ...more]));
    }
  return parts;
}

function merged(...all: readonly HeldChanges[]): HeldChanges {
  const holds = new Map<string, readonly Hold[]>();
  for (const one of all)
    for (const [address, more] of one) holds.set(address, [...(holds.get(address) ?? []), ...more]);
  return holds;
}

/** Whether holds of fields keep all of a change. */
function holdsAll(holds: readonly Hold[] | undefined, { fields }: Change): boolean {
  const held = heldFieldsOf(holds ?? []);
  return holds !== undefined && fields.every(({ path }) => held?.has(path) ?? true);
}
