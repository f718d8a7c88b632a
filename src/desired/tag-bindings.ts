import type { LiveScope } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { Field } from '../model/fields.ts';
import {
  type BindingRule,
  isBindingForm,
  type TagBindings,
  type WrittenBindings,
} from '../model/list-rule.ts';
import type { Texts } from '../model/selector.ts';
import type { ConsumerRef } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import type { reporter } from './problems.ts';

type Reporter = ReturnType<typeof reporter>;
type Text = readonly [message: string, hint: string];

/** The most key/value tags of one workspace or project (live service). */
const mostBindings = 10;
const longestValue = 256;

/**
 * What one layer declares for key/value tags, relative to the layers below it: the grammar of lists, with mappings. A
 * plain mapping in the defaults or a template adds; a plain mapping of a workspace or project is exact.
 */
export function bindingRule(raw: WrittenBindings, layer: Field['layer']): BindingRule {
  if (!isBindingForm(raw))
    return layer === 'workspace' ? { exactly: { ...raw } } : { add: { ...raw }, remove: [] };
  if ('exactly' in raw) return { exactly: { ...raw.exactly } };
  return { add: { ...raw.add }, remove: [...(raw.remove ?? [])] };
}

export function checkBindings(raw: WrittenBindings, report: Reporter): void {
  const isForm = isBindingForm(raw);
  const { exactly, add, remove } = (isForm ? raw : { exactly: raw }) as Record<string, unknown>;
  if (isForm) checkForm(raw, report);
  for (const holder of [exactly, add]) if (isRecord(holder)) checkEntries(holder, declaredProblem, report);
  if (!isRecord(add) || !Array.isArray(remove)) return;
  for (const key of remove) {
    const message = `the key ${quote(key)} is both added and removed`;
    if (Object.hasOwn(add, key)) report.error('added-and-removed', message, report.atKey(add, key));
  }
}

export function checkSelectedTags(
  selector: { readonly [Key in 'tag' | 'tags']?: Texts | undefined } & Pick<LiveScope, 'tagged'>,
  report: Reporter,
): void {
  for (const key of ['tag', 'tags'] as const) {
    const written = selector[key];
    for (const [index, tag] of [written ?? []].flat().entries()) {
      const location =
        typeof written === 'object' ? report.atValue(written, index) : report.atValue(selector, key);
      report.isLiteral('the tag', tag, location);
    }
  }
  checkEntries(selector.tagged ?? {}, bindingProblem, report);
}

function checkEntries(
  bindings: object,
  problemOf: (key: string, value: string | null) => Text | undefined,
  { error, atKey }: Reporter,
): void {
  for (const [key, value] of Object.entries(bindings as TagBindings)) {
    const [message, hint] = (value !== undefined && problemOf(key, value)) || [];
    if (message !== undefined) error('bad-value', message, atKey(bindings, key), hint);
  }
}

/** A tag may be called as a key of the form is; beside another key of the form it is a part of the form. */
function checkForm(raw: object, { error, atKey }: Reporter): void {
  const hint = 'write exactly alone, or add: {key: value} and remove: [key]; a tag is one level deeper';
  for (const [key, value] of Object.entries(raw)) {
    const isPart = key === 'remove' ? Array.isArray(value) : /^(exactly|add)$/.test(key) && isRecord(value);
    if (value === undefined || (isPart && (key === 'exactly' || !('exactly' in raw)))) continue;
    error('wrong-type', `${quote(key)} cannot be in this mapping of "tag-bindings"`, atKey(raw, key), hint);
  }
}

export function areDeclarable(bindings: TagBindings): boolean {
  const entries = Object.entries(bindings);
  return entries.length <= mostBindings && entries.every(([key, value]) => !declaredProblem(key, value));
}

function declaredProblem(key: string, value: string | null): Text | undefined {
  if (!/^(?:hc|hcp|ibm):/i.test(key)) return bindingProblem(key, value);
  return [
    `the key ${quote(key)} has a prefix that the service reserves`,
    'use a key without the prefix "hc:", "hcp:" or "ibm:"',
  ];
}

function bindingProblem(key: string, value: string | null): Text | undefined {
  if (!/^[\w.=+@:-]{1,128}$/.test(key))
    return [`${quote(key)} cannot be the key of a tag`, 'use 1 to 128 letters, digits, and _ . = + - @ :'];
  if (value !== null && (value.length > longestValue || !/^[\w.=+@: -]*$/.test(value)))
    return [
      `${quote(value)} cannot be the value of a tag`,
      `use at most ${longestValue} letters, digits, and _ . = + - @ :`,
    ];
  if (value !== '') return undefined;
  return [`the key ${quote(key)} has an empty value`, 'write null for a key without a value'];
}

export function checkBindingCount(rule: BindingRule, location: SourceLocation, { error }: Reporter): void {
  const count = Object.keys('exactly' in rule ? rule.exactly : rule.add).length;
  const message = `${count} key/value tags are declared, and the service stores ${mostBindings}`;
  if (count > mostBindings) error('bad-value', message, location);
}

export function isTagged(ref: ConsumerRef): boolean {
  return typeof ref !== 'string' && ref.tagged !== undefined;
}
