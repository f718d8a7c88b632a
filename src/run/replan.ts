import { applyingKinds } from '../apply/check-calls.ts';
import { isGone } from '../apply/present-values.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { note, problem } from '../model/diagnostic.ts';
import { causeWords } from '../model/hold.ts';
import { isHeld, type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { countChanges, declarationDigest } from '../plan/create-plan.ts';
import { lockWord } from '../relations/relations.ts';
import type { ServiceClient } from '../service/client.ts';

export interface Replan {
  readonly saved: Plan;
  /** The input of the plan. */
  readonly source: 'files' | 'journal';
  readonly client: ServiceClient;
  readonly configuration: Configuration;
  /** Makes the plan for the addresses of the saved one. */
  readonly plan: () => Promise<Plan>;
}

/**
 * Plans the addresses of a saved plan again. The new plan is applied; the saved one only proves what was reviewed. A
 * saved plan that is already applied gives a plan without changes.
 *
 * @throws {DiagnosticsError} with the differences, unless the new plan is the same.
 */
export async function replan({ saved, source, client, configuration, plan }: Replan): Promise<Plan> {
  const again = await plan();
  const { resources } = configuration.desired;
  const declaredNow = (address: string) => {
    const resource = resources.get(address);
    return resource && declarationDigest(resource);
  };
  const isAlike = ({ address, declared }: PlannedChange) => declared === declaredNow(address);
  const now = new Map(again.changes.map((change) => [change.address, change]));
  const known = new Set(saved.changes.map(({ address }) => address));
  const pairs = [
    ...saved.changes.map((change) => [change, now.get(change.address)] as const),
    ...again.changes
      .filter(({ address }) => !known.has(address))
      .map((change) => [undefined, change] as const),
  ];
  const different = pairs.filter(([before, after]) => {
    // A held change that disappeared needs no review.
    if (before && !after && isHeld(before)) return false;
    // A plan with --only-changed has not all that is declared.
    return textOf(before) !== textOf(after) || (saved.base?.onlyChanged && before && !isAlike(before));
  });
  if (different.length === 0) return asReviewed(again, saved);
  if (saved.changes.every(isAlike) && (await isApplied(saved, again, client))) return withoutChanges(again);

  const messageOf = ([before, after]: Pair) => {
    const later = 'changed after the plan was saved';
    if (before && !isAlike(before)) return `the ${source} ${later}`;
    if (bareText(before) !== bareText(after)) return `the live state ${later}`;
    return before?.held || after?.held
      ? `what is held ${later}`
      : `the plan file does not match the ${source}`;
  };
  const problems = [...groupBy(different, messageOf)].map(async ([message, changes]) => {
    const [first] = changes.flatMap(([before, after]) => after ?? before ?? []);
    return problem('plan-differs', message, {
      at: first && { address: first.address, location: resources.get(first.address)?.location },
      detail: await differenceOf(changes),
      hint: 'run `attune plan --out` again and review the new plan',
    });
  });
  throw new DiagnosticsError(await Promise.all(problems));
}

/** A change of the saved plan, and that of the new one. */
type Pair = readonly [before: PlannedChange | undefined, after: PlannedChange | undefined];

/** Equal for equal changes, wherever the files declare them, and whatever names were read for them. */
export function textOf(change: PlannedChange | undefined): string {
  return change ? changeLines(change).join('') : '';
}

/** What decides the calls of a change. */
function bareText(change: PlannedChange | undefined): string {
  if (change === undefined) return '';
  const fields = change.fields.map(({ cause: _cause, ...field }) => field);
  return `${textOf({ ...change, held: [], calls: [], dependsOn: [] })}${JSON.stringify(fields)}`;
}

function changeLines(change: PlannedChange): readonly string[] {
  const { address, id, action, mode, resources, fields, grants = [], calls, dependsOn, held = [] } = change;
  const { facts: { exists: _exists, lock, ...facts } = {} } = change;
  const isForced = mode === 'force' && resources !== undefined;
  const live = {
    ...facts,
    ...(lock !== undefined && { lock: lockWord(lock) }),
    ...(isForced && { 'resource-count': resources }),
  };
  const paths = fields.map(({ path }) => path).join(', ');
  return [
    `${action} ${address}${id === undefined ? '' : ` ${id}`}${mode ? `, ${mode}` : ''}${paths && `: ${paths}`}`,
    ...Object.entries(live).map(([path, value]) => `  live ${path}: ${JSON.stringify(value)}`),
    ...fields.flatMap(({ path, inEffect }) =>
      inEffect ? `  in effect ${path}: ${JSON.stringify(inEffect)}` : [],
    ),
    ...grants.map(({ path, before, after }) => `  implied ${path}: ${JSON.stringify([before, after])}`),
    ...calls.map(
      ({ operation, method, path, body }) =>
        `  ${operation}: ${method} ${path}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`,
    ),
    ...dependsOn.map((needed) => `  after ${needed}`),
    ...held
      .map(
        ({ by, until, fields: paths }) => `${paths?.join(', ') ?? 'all'} by ${causeWords[by]} until ${until}`,
      )
      .sort()
      .map((hold) => `  held: ${hold}`),
  ].map((line) => `${line}\n`);
}

/** Bodies and lists can be long; the beginning is enough to find the place. */
const longest = 300;

async function differenceOf(changes: readonly Pair[]): Promise<readonly string[]> {
  const { createTwoFilesPatch } = await import('diff');
  const [before, after] = [0, 1].map((side) => changes.map((pair) => textOf(pair[side])).join(''));
  const options = { context: 3 };
  const patch = createTwoFilesPatch(
    'saved plan',
    'plan now',
    before ?? '',
    after ?? '',
    undefined,
    undefined,
    options,
  );
  const lines = patch.trimEnd().split('\n').slice(1);
  return lines.map((line) => (line.length > longest ? `${line.slice(0, longest)}...` : line));
}

/** Shows the fields as the saved plan does, with their names and causes: it was made with more reads. */
function asReviewed(again: Plan, { changes, base, noLongerDeclared }: Plan): Plan {
  const reviewed = new Map(changes.map((change) => [change.address, change]));
  return {
    ...again,
    ...(base && { base }),
    ...(noLongerDeclared && { noLongerDeclared }),
    changes: again.changes.map((change) => {
      const { fields = change.fields, cause } = reviewed.get(change.address) ?? {};
      return { ...change, fields, ...(cause && { cause }) };
    }),
  };
}

/** Whether nothing of the saved changes differs any more. Another part of them can wait, or can have waited then. */
async function isApplied(saved: Plan, again: Plan, client: ServiceClient): Promise<boolean> {
  const sent = sentChanges(saved.changes);
  const now = new Map(again.changes.map((change) => [change.address, change]));
  const isMade = ({ address, action, fields }: PlannedChange) => {
    const left = now.get(address);
    if (left === undefined) return true;
    if (action !== 'update' || left.action !== 'update') return false;
    return !left.fields.some(({ path }) => fields.some((field) => field.path === path));
  };
  if (sent.length === 0 || !sent.every(isMade)) return false;
  const gone = sent
    .filter(({ action }) => action === 'delete')
    .map(({ kind, id = '' }) => isGone(applyingKinds[kind].pathOf(id), client));
  return (await Promise.all(gone)).every(Boolean);
}

function withoutChanges(plan: Plan): Plan {
  const message = `the saved plan of ${plan.organization} is already applied: no changes are needed`;
  // What has waited when the plan was saved was not reviewed to be sent.
  const summary = countChanges([], plan.summary.unchanged);
  return {
    ...plan,
    changes: [],
    summary,
    diagnostics: [...plan.diagnostics, note('already-applied', message)],
  };
}
