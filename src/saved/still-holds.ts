import { applyingKinds } from '../apply/check-calls.ts';
import { isGone } from '../apply/present-values.ts';
import { referencePaths } from '../model/attributes.ts';
import type { Configuration } from '../model/configuration.ts';
import { DiagnosticsError, note, problem } from '../model/diagnostic.ts';
import { isFrozen, isHeld, type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { causeWords } from '../model/rules.ts';
import { groupBy } from '../model/value.ts';
import { countChanges, declarationDigest } from '../plan/create-plan.ts';
import { lockWord } from '../relations/relations.ts';
import type { ServiceReader } from '../service/client.ts';
import { differingEffects } from './differing-effects.ts';

interface PlannedAgain {
  readonly saved: Plan;
  readonly again: Plan;
  /** What it was made from, and what a message calls that. An undo declares only values that are unchanged since its run. */
  readonly configuration: Configuration;
  readonly source: keyof typeof sources;
  readonly reader: ServiceReader;
}

/**
 * A saved plan holds if planning its addresses again gives the same text: the same calls, computed from the same live values,
 * with the same effects. Then the new plan is applied; the saved one only shows what was reviewed. If all of its changes are
 * made already, it is a plan without changes.
 */
export async function planThatHolds({ saved, again, ...input }: PlannedAgain): Promise<Plan> {
  const { configuration, source, reader } = input;
  const { resources } = configuration.desired;
  const declaredNow = (address: string) => {
    const resource = resources.get(address);
    return resource && declarationDigest(resource);
  };
  const isDeclaredAlike = ({ address, declared }: PlannedChange) => declared === declaredNow(address);
  const different = pairsOf(saved, again).filter(([before, after]) => {
    // What was held and differs no more needs no review.
    if (before && !after && isHeld(before)) return false;
    // A plan with --only-changed does not show all that is declared.
    const isHidden = saved.base?.onlyChanged && before && !isDeclaredAlike(before);
    const [reviewed, now] = textsOf([before, after]);
    return isHidden || reviewed !== now;
  });
  const placeOf = (address: string) => ({ address, location: resources.get(address)?.location });
  if (different.length === 0) {
    const effects = differingEffects(saved, again);
    if (effects === undefined) return asReviewed(again, saved);
    const { address, lines: detail } = effects;
    const at = placeOf(address);
    const hint = sources[source].planAgain;
    throw new DiagnosticsError([problem('plan-differs', liveLater, { at, detail, hint })]);
  }
  if (saved.changes.every(isDeclaredAlike) && (await isApplied(saved, again, reader)))
    return withoutChanges(again);
  const headOf = ([before, after]: Pair) => {
    const { absent, until } = (before && resources.get(before.address)?.declared) ?? {};
    if (before && !isDeclaredAlike(before))
      return absent && until ? `access ended ${afterwards}` : sources[source].changed;
    const [reviewed, now] = changeTexts([before, after]);
    if (reviewed === now) return `the plan file does not match the ${source}`;
    const differs = (of: (change: PlannedChange | undefined) => unknown) =>
      JSON.stringify(of(before)) !== JSON.stringify(of(after));
    if (differs((change) => change?.held)) return heldLater;
    if (differs(computedFrom) || !differs((change) => change?.calls)) return liveLater;
    return `the plan file does not match the ${source}`;
  };
  const hintOf = (pairs: readonly Pair[]) => {
    if (pairs.every(([before, after]) => isFrozen(after) && !isFrozen(before)))
      return 'run again after the freeze window or with --override-freeze REASON; for the rest, save a new plan, and run it with --skip-frozen';
    const isOverridden = again.freezeOverridden !== undefined && pairs.some(([before]) => isFrozen(before));
    return isOverridden ? sources[source].override : sources[source].planAgain;
  };
  const problems = [...groupBy(different, headOf)].map(async ([message, pairs]) => {
    const [first] = pairs.flatMap(([before, after]) => after ?? before ?? []);
    return problem('plan-differs', message, {
      at: first && placeOf(first.address),
      detail: await unifiedDiff(pairs.map(textsOf)),
      hint: hintOf(pairs),
    });
  });
  throw new DiagnosticsError(await Promise.all(problems));
}

const afterwards = 'after the plan was saved';
const later = `changed ${afterwards}`;
const heldLater = `what is held ${later}`;
const liveLater = `the live state ${later}`;
const sources = {
  files: {
    changed: `the files ${later}`,
    planAgain: 'run `attune plan --out` again and review the new plan',
    override: 'replace --plan by --base HEAD^1 --only-changed, or save a new plan after the freeze window',
  },
  journal: {
    changed: `${liveLater}, or the plan is for another journal`,
    planAgain: 'run `attune undo --out` again and review the new plan',
    override: 'run `attune undo` again with --out FILE --override-freeze REASON and review the new plan',
  },
} as const;

type Pair = readonly [before: PlannedChange | undefined, after: PlannedChange | undefined];
type Texts = readonly [reviewed: string, now: string];

function pairsOf(saved: Plan, again: Plan): readonly Pair[] {
  const [before, now] = [byAddress(saved), byAddress(again)];
  return [...new Set([...before.keys(), ...now.keys()])].map((one): Pair => [before.get(one), now.get(one)]);
}

function byAddress({ changes }: Pick<Plan, 'changes'>): ReadonlyMap<string, PlannedChange> {
  return new Map(changes.map((change) => [change.address, change]));
}

/** Equal for equal changes, wherever the files declare them, and whatever names were read for them. */
export function changeText(change: PlannedChange | undefined, isShown?: (path: string) => boolean): string {
  if (change === undefined) return '';
  const { calls, dependsOn, held = [] } = change;
  const holds = held.map(
    ({ by, until, fields }) => `  held: ${fields?.join(', ') ?? 'all'} by ${causeWords[by]} until ${until}`,
  );
  return [
    liveText(change, isShown),
    ...calls.map(
      ({ operation, method, path, body }) =>
        `  ${operation}: ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`,
    ),
    ...dependsOn.map((needed) => `  after ${needed}`),
    ...holds.sort(),
  ].join('\n');
}

/** Key/value tags are compared if both plans have read them, and a lock only if the reviewed deletion was not of a locked workspace. */
function changeTexts(pair: Pair): Texts {
  const [before, after] = pair;
  const isRead = (path: string) => pair.every((change) => Object.hasOwn(change?.facts ?? {}, path));
  const wasLocked = before?.action === 'delete' && before.facts?.lock === undefined;
  const isShown = (path: string) =>
    path === 'lock' ? !wasLocked : !path.endsWith('tag-bindings') || isRead(path);
  return [changeText(before, isShown), changeText(after, isShown)];
}

/** A file that was edited can show other values beside the same calls. */
function textsOf(pair: Pair): Texts {
  const [before, after] = pair;
  const [reviewed, now] = changeTexts(pair);
  return reviewed === now ? [reviewed + shownText(before), now + shownText(after)] : [reviewed, now];
}

/** Their values have names, which other reads can show otherwise. */
const namedPaths: ReadonlySet<string> = new Set([
  ...Object.keys(referencePaths),
  'remote-state-consumers',
  'vcs-repo',
]);

/** The values that are shown of what is sent. */
function shownText(change: PlannedChange | undefined): string {
  return sentChanges(change ? [change] : [])
    .flatMap(({ fields }) => fields)
    .filter(({ path }) => !namedPaths.has(path))
    .map(({ path, before, after }) => `\n  ${path}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`)
    .join('');
}

/** What a change was computed from, without how it is sent; of the facts only those that `isShown`. */
function liveText(change: PlannedChange | undefined, isShown = (_path: string) => true): string {
  if (change === undefined) return '';
  const { address, id, action, mode, resources, fields, grants = [] } = change;
  const { exists: _exists, lock, ...facts } = change.facts ?? {};
  const live = {
    ...facts,
    lock: lock === undefined ? undefined : lockWord(lock),
    'resource-count': mode === 'force' ? resources : undefined,
  };
  const paths = fields.map(({ path }) => path).join(', ');
  return [
    `${action} ${address}${id === undefined ? '' : ` ${id}`}${mode ? `, ${mode}` : ''}${paths && `: ${paths}`}`,
    ...Object.entries(live).flatMap(([path, value]) =>
      value !== undefined && isShown(path) ? `  live ${path}: ${JSON.stringify(value)}` : [],
    ),
    ...fields.flatMap(({ path, inEffect }) =>
      inEffect ? `  in effect ${path}: ${JSON.stringify(inEffect)}` : [],
    ),
    ...grants.map(({ path, before, after }) => `  implied ${path}: ${JSON.stringify([before, after])}`),
  ].join('\n');
}

/** For a message only: the values of fields have names that other reads can show otherwise. */
function computedFrom(change: PlannedChange | undefined) {
  return [liveText(change), change?.fields.map(({ path, before, after }) => [path, before, after])];
}

/** Bodies and lists can be long; the beginning is enough to find the place. */
const longest = 300;

async function unifiedDiff(texts: readonly Texts[]): Promise<readonly string[]> {
  const { createTwoFilesPatch } = await import('diff');
  const text = (side: 0 | 1) => texts.map((both) => both[side] && `${both[side]}\n`).join('');
  const [before, after] = [text(0), text(1)];
  const patch = createTwoFilesPatch('saved plan', 'plan now', before, after, undefined, undefined, {
    context: 3,
  });
  const lines = patch.trimEnd().split('\n').slice(1);
  return lines.map((line) => (line.length > longest ? `${line.slice(0, longest)}...` : line));
}

/** Diagnostics that depend on the base, or on workspaces that are not planned again. */
const onlySaved: ReadonlySet<string> = new Set(['base-unreadable', 'looks-like-rename', 'rule-changed']);

/** The new plan with what only the saved one has: causes, and effects, for which it was made with more reads. */
function asReviewed(again: Plan, { changes, effects, base, noLongerDeclared, diagnostics }: Plan): Plan {
  const reviewed = byAddress({ changes });
  return {
    ...again,
    effects,
    diagnostics: again.diagnostics.concat(diagnostics.filter(({ code }) => onlySaved.has(code))),
    base: base ?? again.base,
    noLongerDeclared: noLongerDeclared ?? again.noLongerDeclared,
    changes: again.changes.map((change) => {
      const { fields = [], cause } = reviewed.get(change.address) ?? {};
      const caused = change.fields.map((field) => {
        const { cause } = fields.find(({ path }) => path === field.path) ?? {};
        return { ...field, cause: cause ?? field.cause };
      });
      return { ...change, fields: caused, cause: cause ?? change.cause };
    }),
  };
}

/** Whether nothing of the saved changes differs any more. Another part of them can wait, or can have waited then. */
async function isApplied(saved: Plan, again: Plan, reader: ServiceReader): Promise<boolean> {
  const sent = sentChanges(saved.changes);
  const waited = new Set(saved.changes.flatMap(({ address, held }) => (held ? address : [])));
  // What was held, and can be sent now, was not reviewed to be sent.
  if (sentChanges(again.changes).some(({ address }) => waited.has(address))) return false;
  const now = byAddress(again);
  const isMade = ({ address, action, fields }: PlannedChange) => {
    const left = now.get(address);
    if (left === undefined) return true;
    if (action !== 'update' || left.action !== 'update') return false;
    return !left.fields.some(({ path }) => fields.some((field) => field.path === path));
  };
  if (sent.length === 0 || !sent.every(isMade)) return false;
  const gone = sent
    .filter(({ action }) => action === 'delete')
    .map(({ kind, id = '' }) => isGone(applyingKinds[kind].pathOf(id), reader));
  return (await Promise.all(gone)).every(Boolean);
}

/** What is held still waits. */
function withoutChanges({ changes, ...plan }: Plan): Plan {
  const message = `the saved plan of ${plan.organization} is already applied: no changes are needed`;
  const held = changes.filter(isHeld);
  const summary = countChanges(held, plan.summary.unchanged);
  return {
    ...plan,
    changes: held,
    summary,
    diagnostics: [...plan.diagnostics, note('already-applied', message)],
  };
}
