import { type Edge, orderOf } from '../diff/order.ts';
import { type Change, fieldsTogether } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Hold } from '../model/rules.ts';
import { groupBy } from '../model/value.ts';
import { notDue } from './at-time.ts';
import { exceptionHolds } from './exceptions.ts';
import { freezeHolds, windowsOf } from './freeze.ts';
import {
  covers,
  type Filtered,
  type FilterInput,
  type HeldChanges,
  type Keep,
  type Kept,
  keptFields,
} from './keep-live.ts';
import { declaredAlike, notReviewed } from './only-changed.ts';

/** What keeps its live value in this run. Pure: the clock is part of the input. */
export function keptIn(input: FilterInput): Kept {
  const left = leftOut(input);
  const { configuration, found } = input;
  const leftOf = groupBy(left.keeps, ({ address }) => address);
  const changes = found.changes.flatMap((change) => withoutParts(change, leftOf.get(change.address)));
  const known = exceptionHolds(configuration.holds?.exceptions ?? [], { ...input, changes });
  const knownOf = groupBy(known.keeps, ({ address }) => address);
  // A window keeps nothing back of a change that exceptions hold anyway.
  const open = changes.filter((change) => withoutParts(change, knownOf.get(change.address)).length > 0);
  const frozen = freezeHolds(windowsOf(input), { ...input, changes: open });
  const keeps = [left, known, frozen].flatMap((filtered) => filtered.keeps);
  const held = withDependents(changes, heldIn(changes, keeps), input.configuration);
  return {
    keeps: [...keeps, ...changes.flatMap((change) => waitingParts(change, held))],
    changes,
    held,
    diagnostics: [...(left.diagnostics ?? []), ...(known.diagnostics ?? [])],
    isDated: [known, frozen].some(({ isDated }) => isDated),
  };
}

function leftOut(input: FilterInput): Filtered {
  const { configuration, due, reviewed } = input;
  if (reviewed) return notReviewed(reviewed, configuration);
  return due ? notDue(input) : declaredAlike(input);
}

function withoutParts(change: Change, keeps: readonly Keep[] = []): Change[] {
  if (keeps.length === 0) return [change];
  const paths = keptFields(keeps);
  if (paths === undefined || covers(paths, change)) return [];
  return [{ ...change, fields: change.fields.filter(({ path }) => !paths.has(path)) }];
}

/** What waits of the changes. What does not differ is kept, too, and is not shown. */
function heldIn(changes: readonly Change[], keeps: readonly Keep[]): HeldChanges {
  const fields = new Map(changes.map((change) => [change.address, change.fields.map(({ path }) => path)]));
  const held = keeps.flatMap(({ address, hold }) =>
    hold && (hold.fields?.some((path) => fields.get(address)?.includes(path)) ?? fields.has(address))
      ? { address, hold }
      : [],
  );
  return new Map(
    [...groupBy(held, ({ address }) => address)].map(([address, all]) => [
      address,
      all.map(({ hold }) => hold),
    ]),
  );
}

/** The service changes some fields together. */
function waitingParts({ address, kind }: Change, held: HeldChanges): Keep[] {
  const together = (path: string) => [path, ...fieldsTogether[kind](path)];
  return (held.get(address) ?? []).map((hold) => ({ address, fields: hold.fields?.flatMap(together), hold }));
}

function withDependents(
  changes: readonly Change[],
  held: HeldChanges,
  configuration: Configuration,
): HeldChanges {
  const before = orderOf(changes, configuration);
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

function waitsFor({ address, fields, needing }: Edge, held: readonly Hold[], own: readonly Hold[]) {
  const hold = held.find((one) => one.fields === undefined || one.fields.some((path) => fields?.has(path)));
  const ownFields = keptFields(own);
  const missing = needing?.filter((path) => !ownFields?.has(path));
  if (hold === undefined || ownFields === undefined || missing?.length === 0) return undefined;
  const { fields: _fields, ...rest } = hold;
  return { ...rest, reason: `needs ${address}: ${hold.reason}`, fields: missing };
}
