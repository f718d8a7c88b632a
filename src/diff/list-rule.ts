import type { ListRule } from '../model/state.ts';
import { isRecord, sortedSet, type Value } from '../model/value.ts';

/** Reads a declared list; a desired resource holds nothing else under `tags` and `remote-state-consumers`. */
export function asListRule<Item extends Value>(value: Value | undefined): ListRule<Item> | undefined {
  return isRecord(value) ? (value as unknown as ListRule<Item>) : undefined;
}

/** The set that a rule makes of the live one. */
export function applyListRule(rule: ListRule, live: readonly string[]): string[] {
  if ('exactly' in rule) return sortedSet(rule.exactly);
  const removed = new Set(rule.remove);
  return sortedSet([...live, ...rule.add]).filter((item) => !removed.has(item));
}

/** A rule with each of its entries replaced. */
export function mapListRule(rule: ListRule, replace: (entry: string) => string): ListRule {
  return 'exactly' in rule
    ? { exactly: rule.exactly.map(replace) }
    : { add: rule.add.map(replace), remove: rule.remove.map(replace) };
}

/** What a list gains and loses on the way from one set to another. */
export function listDifference(
  before: readonly string[],
  after: readonly string[],
): { add: string[]; remove: string[] } {
  const had = new Set(before);
  const has = new Set(after);
  return {
    add: after.filter((item) => !had.has(item)),
    remove: before.filter((item) => !has.has(item)),
  };
}
