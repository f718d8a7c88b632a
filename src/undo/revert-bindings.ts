import type { JournaledCall, JournaledChange } from '../apply/journal/parse-journal.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ListRule } from '../model/list-rule.ts';
import {
  applyBindingRule,
  applyListRule,
  asBindings,
  type BindingRule,
  bindingText,
  type TagBindings,
} from '../model/list-rule.ts';
import type { Value, Values } from '../model/value.ts';
import { undoConflict } from './revert.ts';

/** The values of a workspace after some calls of a change, from their requests and responses. */
export interface Left {
  readonly values: Values;
  readonly tags: readonly ListRule[];
  readonly consumers: readonly ListRule[];
  readonly bindings: readonly BindingRule[];
}

export function leftBy(calls: readonly JournaledCall[]): Left {
  const written = calls.map(({ written: sent, outcome }) => {
    const {
      tags: stored,
      'remote-state-consumers': _consumers,
      'tag-bindings': _bindings,
      ...answered
    } = outcome?.answered ?? {};
    return { answered, stored, ...sent };
  });
  return {
    values: Object.assign({}, ...written.map(({ values, answered }) => ({ ...values, ...answered }))),
    tags: written.flatMap(({ tags, stored }) => (tags ? confirmed(tags, stored) : [])),
    consumers: written.flatMap(({ consumers }) => consumers ?? []),
    bindings: written.flatMap(({ bindings }) => bindings ?? []),
  };
}

/** The tags of a write that its answer shows; all of them if it shows none. */
function confirmed(sent: ListRule, stored: Value | undefined): ListRule {
  if (!Array.isArray(stored) || 'exactly' in sent) return sent;
  const shown = new Set(stored.map((tag) => String(tag).toLowerCase()));
  return { ...sent, add: sent.add.filter((tag) => shown.has(tag.toLowerCase())) };
}

/** A list after some writes. */
export function listAfter(rules: readonly ListRule[], before: readonly string[]): readonly string[] {
  return rules.reduce((list: readonly string[], rule) => applyListRule(rule, list), before);
}

/** Key/value tags after some writes. */
export function bindingsAfter(rules: readonly BindingRule[], before: TagBindings): TagBindings {
  return rules.reduce((bindings, rule) => applyBindingRule(rule, bindings), before);
}

const path = 'tag-bindings';

/**
 * Restores key/value tags key by key. Keys that the run did not write, or that changed since, are left alone.
 */
export function revertBindings(
  change: JournaledChange,
  { bindings }: Pick<Left, 'bindings'>,
  live: Values,
): { readonly attributes: Values; readonly diagnostics: readonly Diagnostic[] } {
  if (bindings.length === 0) return { attributes: {}, diagnostics: [] };
  const before = asBindings(change.before[path]) ?? {};
  const left = bindingsAfter(bindings, before);
  const now = asBindings(live[path]) ?? {};
  // A map, because a key can be `__proto__`.
  const add = new Map<string, string | null>();
  const remove: string[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(left)])) {
    if (isSame(key, before, left) || isSame(key, before, now)) continue;
    if (!isSame(key, left, now)) {
      const how = `the run left ${shown(key, left)}, and it is ${shown(key, now)}`;
      diagnostics.push(undoConflict(change, how, `${path}.${key}`));
    } else if (Object.hasOwn(before, key)) add.set(key, before[key] ?? null);
    else remove.push(key);
  }
  const rule: BindingRule = { add: Object.fromEntries(add), remove };
  const isEmpty = add.size + remove.length === 0;
  return { attributes: isEmpty ? {} : { [path]: rule }, diagnostics };
}

/** The differences between the live key/value tags and those that the run wrote. */
export function bindingsChanged({ bindings }: Pick<Left, 'bindings'>, live: Values): string[] {
  if (bindings.length === 0) return [];
  const left = bindingsAfter(bindings, {});
  const now = asBindings(live[path]) ?? {};
  return [...new Set([...Object.keys(left), ...Object.keys(now)])]
    .filter((key) => !isSame(key, left, now))
    .map((key) => `${path}.${key} was ${shown(key, left)} and is ${shown(key, now)}`);
}

function isSame(key: string, one: TagBindings, other: TagBindings): boolean {
  return Object.hasOwn(one, key) === Object.hasOwn(other, key) && one[key] === other[key];
}

function shown(key: string, bindings: TagBindings): string {
  return Object.hasOwn(bindings, key) ? bindingText(key, bindings[key] ?? null) : 'not set';
}
