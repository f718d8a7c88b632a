import { declaredByBase, sameAbsence, sameDeclaration } from '../diff/base.ts';
import { type Edge, orderOf } from '../diff/order.ts';
import { isRepositoryPath, isUnder } from '../model/attributes.ts';
import { type Change, type FieldChange, fieldsTogether } from '../model/change.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { Hold } from '../model/rules.ts';
import type { Resource, ResourceKind } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { endedGrants } from './at-time.ts';
import { exceptionHolds } from './exceptions.ts';
import { emptySelectors, freezeHolds, windowsOf } from './freeze.ts';
import { covers, type Filtered, type FilterInput, type Keep, type Kept, keptFields } from './keep-live.ts';

type HeldChanges = Kept['held'];

/** What keeps its live value in this run. Pure: the clock is part of the input. */
export function keptIn(input: FilterInput): Kept {
  const { configuration, found, due, reviewed } = input;
  const left = reviewed ? notReviewed(reviewed, configuration) : (due ? notDue : declaredAlike)(input);
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
    diagnostics: [...(left.diagnostics ?? []), ...known.diagnostics, ...emptySelectors(input)],
    isDated: [known, frozen].some(({ isDated }) => isDated),
  };
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
  const heldOf = groupBy(held, ({ address }) => address);
  return new Map([...heldOf].map(([address, all]) => [address, all.map(({ hold }) => hold)]));
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
  const before = orderOf(changes, rootsOf(configuration));
  const edges = changes.flatMap((change) => before(change).map((edge) => ({ ...edge, change })));
  const all = new Map(held);
  const waiting = [...held.keys()];
  // Grows with what waits, too.
  for (const address of waiting)
    for (const { change, ...edge } of edges) {
      if (edge.address !== address) continue;
      const own = all.get(change.address) ?? [];
      const hold = waitsFor(edge, all.get(address) ?? [], own);
      if (hold === undefined) continue;
      all.set(change.address, [...own, hold]);
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

/** For `--due`: all but the access that has ended, and the fields whose exception has ended. */
function notDue(input: FilterInput): Filtered {
  const { configuration, found, now } = input;
  const { desired, holds } = configuration;
  const access = new Set(endedGrants(configuration, now).map(({ address }) => address));
  const ended = (holds?.exceptions ?? []).filter(({ until }) => now >= until.time);
  // What each of them held until it ended.
  const held = exceptionHolds(ended, { ...input, now: Number.NEGATIVE_INFINITY }).keeps;
  const heldOf = groupBy(held, ({ address }) => address);
  const changes = new Map(found.changes.map((change) => [change.address, change]));
  const addresses = new Set([...desired.resources.keys(), ...changes.keys()]);
  const keeps = [...addresses].flatMap((address): Keep[] => {
    const change = changes.get(address);
    if (access.has(address)) return [];
    const paths = (heldOf.get(address) ?? []).flatMap(({ fields = [] }) => [...fields]);
    const isDue = (path: string) => paths.some((one) => isUnder(path, one));
    if (!change?.fields.some(({ path }) => isDue(path))) return [{ address }];
    const attributes = Object.keys(desired.resources.get(address)?.attributes ?? {});
    const differing = change.fields.map(({ path }) => path);
    return [{ address, fields: [...attributes, ...differing, 'name'].filter((path) => !isDue(path)) }];
  });
  return { keeps };
}

/**
 * For `--only-changed`: everything whose cause is drift, and what the base declares alike. What the service changes
 * together with a changed field stays, too. What both declare and does not exist stays gone, with a note.
 */
function declaredAlike({ configuration, found }: Pick<FilterInput, 'configuration' | 'found'>): Filtered {
  const { desired, base } = configuration;
  if (!base?.onlyChanged || base.declared === undefined) return { keeps: [] };
  const before = declaredByBase(base.declared);
  const changes = new Map(found.changes.map((change) => [change.address, change]));
  const gone: Resource[] = [];
  const keeps = [...desired.resources.values()].flatMap((resource): Keep[] => {
    const was = before.counterpart(resource);
    const change = changes.get(resource.address);
    if (was === undefined || !sameAbsence(was, resource) || change?.cause === 'change') return [];
    if (change?.action === 'create') gone.push(resource);
    const { address } = resource;
    if (change && change.action !== 'update') return [{ address }];
    return [{ address, fields: fieldsAlike(resource, was, change?.fields) }];
  });
  return { keeps, diagnostics: notCreated(gone) };
}

function fieldsAlike(
  { kind, attributes }: Resource,
  was: Resource,
  fields: readonly FieldChange[] = [],
): readonly string[] {
  const alike = Object.keys(attributes).filter((path) =>
    sameDeclaration(path, attributes[path], was.attributes[path]),
  );
  // A grant is found by its project and team, and its level decides which permissions it has.
  const declared = kind === 'team-access' ? [] : alike;
  return [...declared, ...fields.map(({ path }) => path)].filter((path) => !isChanged(path, kind, fields));
}

/** Whether the change of the files is a cause of a field, or changes one that the service changes together with it. */
function isChanged(path: string, kind: ResourceKind, fields: readonly FieldChange[]): boolean {
  return fields.some(
    ({ path: other, cause }) =>
      cause === 'change' &&
      (path === other ||
        fieldsTogether[kind](other).includes(path) ||
        fieldsTogether[kind](path).includes(other) ||
        (other === 'vcs-repo.identifier' && isRepositoryPath(path))),
  );
}

/** For a saved plan of `--only-changed` that is made again: what it does not contain. The base may not exist any more. */
function notReviewed(
  { changes }: Pick<Plan, 'changes'>,
  { desired }: Pick<Configuration, 'desired'>,
): Filtered {
  const keeps = changes.flatMap(({ address, kind, action, fields }) => {
    const resource = desired.resources.get(address);
    if (resource === undefined || action !== 'update') return [];
    const isPlanned = (path: string) =>
      isChanged(path, kind, fields) || fields.some((field) => isUnder(path, field.path));
    const paths = [...Object.keys(resource.attributes), 'name'];
    return [{ address, fields: paths.filter((path) => !isPlanned(path)) }];
  });
  return { keeps };
}

/** One note, at the first resource, for all that is not created because the base declares it, too. */
function notCreated([first, ...others]: readonly Resource[]): Diagnostic[] {
  if (!first) return [];
  const more = others.length > 0 ? ` (and ${counted(others.length, 'more resource')})` : '';
  return [
    note(
      'not-created',
      `${first.address}${more} does not exist and is not created: the base declares it, too`,
      { at: first, hint: 'plan without --only-changed to create it' },
    ),
  ];
}
