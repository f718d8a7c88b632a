import type { FieldChange } from '../model/change.ts';
import { causeWords } from '../model/hold.ts';
import { type Call, isHeld, type Plan, type PlannedChange } from '../model/plan.ts';
import { canonicalJson, type Value } from '../model/value.ts';

/** One difference between a saved plan and a new plan for its addresses. */
export interface PlanDifference {
  readonly change: PlannedChange;
  /**
   * Its cause: the live state, the declarations, what is held, or neither. The same declaration and live values give the same plan,
   * so `neither` means that the saved plan was edited or made by another version.
   */
  readonly cause: 'live' | 'declarations' | 'holds' | 'neither';
  readonly how: string;
  /** A field that is planned now and was not in the saved plan. */
  readonly isAdded?: boolean;
}

/** A saved plan, and a new plan for its addresses. */
export interface Replanned {
  readonly saved: Plan;
  readonly again: Plan;
  /** The digest of the current declaration of an address. */
  readonly declaredNow: (address: string) => string | undefined;
}

/** Every difference in changes, fields and calls. The lines of the files that declare them do not count. */
export function differencesOfPlans({ saved, again, declaredNow }: Replanned): PlanDifference[] {
  const now = new Map(again.changes.map((change) => [change.address, change]));
  return saved.changes.flatMap((change) => {
    const other = now.get(change.address);
    // A held change that disappeared needs no review.
    if (other === undefined && isHeld(change)) return [];
    const isDeclaredAlike = change.declared === declaredNow(change.address);
    if (other === undefined) {
      const cause = isDeclaredAlike && change.declared !== undefined ? 'neither' : 'declarations';
      return [{ change, cause, how: `${change.action} is planned, and no change is needed now` } as const];
    }
    const found = changeDifferences(change, other, isDeclaredAlike);
    // A plan with --only-changed has not all that is declared.
    const isReviewed = found.length > 0 || isDeclaredAlike || !saved.base?.onlyChanged;
    return isReviewed ? found : [{ change: other, cause: 'declarations', how: 'other values are declared' }];
  });
}

function changeDifferences(
  saved: PlannedChange,
  again: PlannedChange,
  isDeclaredAlike: boolean,
): PlanDifference[] {
  const edited = isDeclaredAlike ? 'neither' : 'declarations';
  const found: PlanDifference[] = [];
  const add = (cause: PlanDifference['cause'], how: string, isAdded = false) => {
    found.push({ change: again.location ? again : saved, cause, how, ...(isAdded && { isAdded }) });
  };
  if (saved.action !== again.action || saved.id !== again.id) {
    const cause = isDeclaredAlike && saved.action !== again.action ? 'live' : edited;
    add(cause, `planned ${actionOf(saved)}, now ${actionOf(again)}`);
    return found;
  }
  const [held, heldNow] = [heldText(saved), heldText(again)];
  if (held !== heldNow) {
    add('holds', `planned as ${held}, now ${heldNow}`);
    return found;
  }
  for (const [before, after] of pairs(saved.fields, again.fields)) {
    if (same(withoutCause(before), withoutCause(after))) continue;
    // A value that had no difference, a list with selectors, and what is inherited change with the live state alone.
    const mayBeLive =
      before === undefined ||
      before.path === 'remote-state-consumers' ||
      !same(before.inEffect, after?.inEffect);
    const path = (before ?? after)?.path ?? '';
    add(
      isDeclaredAlike && mayBeLive ? 'live' : edited,
      `${path}: planned ${fieldOf(before)}, now ${fieldOf(after)}`,
      before === undefined,
    );
  }
  if (found.length > 0) return found;
  const [call, otherCall] = pairsOf(saved.calls, again.calls).find(([a, b]) => !same(a, b)) ?? [];
  if (call || otherCall) {
    const [planned, now] = [callOf(call), callOf(otherCall)];
    // Two operations can have the same request.
    const operation = (one: Call | undefined) => (planned === now && one ? `${one.operation}: ` : '');
    add(edited, `planned ${operation(call)}${planned}, now ${operation(otherCall)}${now}`);
  } else if (!same(rest(saved), rest(again))) add(edited, 'its effects or its order differ');
  return found;
}

/** The cause of a field is not planned again: its base may not exist any more. */
function withoutCause(field: FieldChange | undefined): FieldChange | undefined {
  if (field === undefined) return undefined;
  const { cause: _cause, ...rest } = field;
  return rest;
}

/** What holds a change back. Its reason can change without an effect. */
function heldText({ held = [] }: PlannedChange): string {
  const texts = held.map(({ by, until, fields }) => {
    const what = fields === undefined ? 'held' : `${fields.join(', ')} held`;
    return `${what} by ${causeWords[by]} until ${until}`;
  });
  return texts.length === 0 ? 'not held' : texts.sort().join('; ');
}

/** Members that are compared as a whole. */
function rest({ kind, name, mode, grants = [], dependsOn }: PlannedChange) {
  return { kind, name, mode, grants, dependsOn };
}

function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

function pairs(
  saved: readonly FieldChange[],
  again: readonly FieldChange[],
): [FieldChange | undefined, FieldChange | undefined][] {
  const paths = new Set([...saved, ...again].map(({ path }) => path));
  const at = (fields: readonly FieldChange[], wanted: string) => fields.find(({ path }) => path === wanted);
  return [...paths].map((path) => [at(saved, path), at(again, path)]);
}

function pairsOf(saved: readonly Call[], again: readonly Call[]): [Call | undefined, Call | undefined][] {
  const length = Math.max(saved.length, again.length);
  return Array.from({ length }, (_, index) => [saved[index], again[index]]);
}

function actionOf({ action, id }: PlannedChange): string {
  return id === undefined ? action : `${action} of ${id}`;
}

function fieldOf(field: FieldChange | undefined): string {
  if (field === undefined) return 'no change';
  const { before, after, inEffect } = field;
  const step = `${text(before)} -> ${text(after)}`;
  return inEffect ? `${step} (in effect ${text(inEffect.before)} -> ${text(inEffect.after)})` : step;
}

function callOf(call: Call | undefined): string {
  if (call === undefined) return 'no call';
  const { method, path, body } = call;
  return `${method} ${path}${body === undefined ? '' : ` ${text(body)}`}`;
}

/** Bodies and lists can be long; the beginning is enough to find the place. */
function text(value: Value): string {
  const json = JSON.stringify(value);
  return json.length > 200 ? `${json.slice(0, 200)}...` : json;
}
