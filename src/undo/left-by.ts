import type { JournaledCall } from '../apply/journal/parse-journal.ts';
import { applyListRule } from '../diff/list-rule.ts';
import type { ListRule } from '../model/state.ts';
import { applyBindingRule, type BindingRule, type TagBindings } from '../model/tag-bindings.ts';
import type { Value, Values } from '../model/value.ts';

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
