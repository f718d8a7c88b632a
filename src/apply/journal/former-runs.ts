import type { UnfinishedCreations } from '../../diff/comparison.ts';
import { deduplicate } from '../../diff/diff.ts';
import { sameAttribute } from '../../diff/fields.ts';
import { changesOf } from '../../model/change.ts';
import { type Diagnostic, note, warning } from '../../model/diagnostic.ts';
import {
  asBindings,
  type BindingRule,
  bindingText,
  bindingTexts,
  type ListRule,
  type TagBindings,
} from '../../model/list-rule.ts';
import type { Plan, PlannedChange, Written } from '../../model/plan.ts';
import { nameOfAddress } from '../../model/state.ts';
import { listTexts, type Value, type Values } from '../../model/value.ts';
import { writtenBy } from '../../service/call-codec.ts';
import { idOf, type JournaledCall, type JournaledChange, type RunJournal } from './parse-journal.ts';

/** The workspaces that runs created without sending all of their tags. A creation of a complete run is not among them. */
export function unfinishedCreations(runs: readonly RunJournal[]): UnfinishedCreations {
  const created = runs
    .filter(({ isComplete }) => !isComplete)
    .flatMap(({ changes }) =>
      changesOf(changes, 'workspace')
        .filter(({ action }) => action === 'create')
        .flatMap((change) => {
          const id = idOf(change);
          return id === undefined ? [] : [[id, unsent(change)] as const];
        }),
    );
  return new Map(created.filter(([, parts]) => parts.size > 0));
}

function unsent({ calls }: JournaledChange): ReadonlySet<'tags' | 'tagged'> {
  const done = calls.filter(({ outcome }) => outcome?.result === 'done');
  return new Set([
    ...(done.some(hasTaken) ? [] : ['tags' as const]),
    ...(done.some(({ written }) => written.bindings) ? [] : ['tagged' as const]),
  ]);
}

/** The tags in a create are undocumented: the service took them only if its answer shows them. */
function hasTaken({ call, written: { tags: sent }, outcome }: JournaledCall): boolean {
  if (sent === undefined) return false;
  if (call.operation !== 'createWorkspace' || !('add' in sent)) return true;
  const { tags } = outcome?.answered ?? {};
  const shown = new Set(Array.isArray(tags) ? tags.map((tag) => String(tag).toLowerCase()) : []);
  return sent.add.every((tag) => shown.has(tag.toLowerCase()));
}

/** A run that is killed cannot report what it changed. */
export function unendedRuns(runs: readonly Pick<RunJournal, 'isWhole'>[]): Diagnostic[] {
  if (runs.every(({ isWhole }) => isWhole)) return [];
  const message = 'the newest journal has no end: its run was interrupted, or is not over';
  const hint = 'apply again for the rest, or run `attune undo --last` to revert what it changed';
  return [note('journal-cut-off', message, { hint })];
}

/**
 * Reports what a plan sends again although earlier runs have sent it: the service answered with a success that did not
 * show the value, and the live value is different. A difference of a value that the answer showed is ordinary drift.
 */
export function stillDifferent(plan: Plan, runs: readonly RunJournal[]): Diagnostic[] {
  const sent = new Map(
    runs.flatMap(({ changes }) =>
      changes.map((change) => [change.address, { id: idOf(change), parts: unshown(change) }] as const),
    ),
  );
  return deduplicate(
    plan.changes.flatMap((change) => {
      const before = sent.get(change.address);
      if (change.action !== 'update' || before === undefined || before.id !== change.id) return [];
      const { calls, facts = {} } = change;
      const again = calls
        .flatMap((call) => partsOf(writtenBy(call, plan.dialect), facts))
        .filter(({ path, entry, value }) => {
          const part = before.parts.get(keyOf({ path, entry }));
          return part !== undefined && sameAttribute(path, part.value, value);
        });
      const paths = new Set(again.map(({ path }) => path));
      return change.fields.flatMap(({ path }) => (paths.has(path) ? unanswered(change, path) : []));
    }),
  );
}

interface Part {
  readonly path: string;
  readonly entry?: string | undefined;
  readonly value: Value;
}

function keyOf({ path, entry }: Pick<Part, 'path' | 'entry'>): string {
  return JSON.stringify([path, entry]);
}

/** What the last calls of a change wrote without an answer that shows it. */
function unshown({ calls, before }: JournaledChange): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  for (const { written, outcome } of calls)
    for (const part of partsOf(written, before)) {
      const isUnshown = outcome?.result === 'done' && outcome.answered?.[part.path] === undefined;
      if (isUnshown) parts.set(keyOf(part), part);
      else parts.delete(keyOf(part));
    }
  return parts;
}

/** @param live what the call was computed from: a list that is written as a whole removes entries of it */
function partsOf({ values, tags, consumers, bindings }: Written, live: Values): Part[] {
  const liveBindings = asBindings(live['tag-bindings']) ?? {};
  return [
    ...Object.entries(values).map(([path, value]) => ({ path, value })),
    ...listParts('tags', tags, listTexts(live.tags)),
    ...listParts('remote-state-consumers', consumers, listTexts(live['remote-state-consumers'])),
    ...listParts('tag-bindings', bindings && asTexts(bindings, liveBindings), bindingTexts(liveBindings)),
  ];
}

function listParts(path: string, rule: ListRule | undefined, live: readonly string[]): Part[] {
  if (rule === undefined) return [];
  const isLive = new Set(live);
  const wanted = 'exactly' in rule ? rule.exactly.filter((entry) => !isLive.has(entry)) : rule.add;
  const unwanted = 'exactly' in rule ? live.filter((entry) => !rule.exactly.includes(entry)) : rule.remove;
  return [
    ...wanted.map((entry) => ({ path, entry, value: true })),
    ...unwanted.map((entry) => ({ path, entry, value: false })),
  ];
}

function asTexts(rule: BindingRule, live: TagBindings): ListRule {
  if ('exactly' in rule) return { exactly: bindingTexts(rule.exactly) };
  const removed = Object.entries(live).filter(([key]) => rule.remove.includes(key));
  return { add: bindingTexts(rule.add), remove: removed.map(([key, value]) => bindingText(key, value)) };
}

function unanswered({ address, location, origins }: PlannedChange, path: string): Diagnostic {
  const at = origins?.[path] ?? location;
  const name = nameOfAddress(address);
  return warning(
    'still-different',
    `${path} of "${name}" was sent by the last apply and is still different: the answer of the service did not show whether it took the value`,
    {
      at: { address, location: at },
      hint: 'remove it from the configuration if the service ignores it, or check who changes it back',
    },
  );
}
