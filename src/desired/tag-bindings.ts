import type { SourceLocation } from '../model/diagnostic.ts';
import type { Field, WrittenList } from '../model/fields.ts';
import {
  type BindingRule,
  bindingText,
  isBindingForm,
  type TagBindings,
  type WrittenBindings,
} from '../model/list-rule.ts';
import type { Texts } from '../model/selector.ts';
import { quote } from '../model/text.ts';
import { isRecord, type Value } from '../model/value.ts';
import { itemLocator, locateKey, locateValue, type Origins } from './files/source.ts';
import type { Loading } from './problems.ts';
import { checkText } from './problems.ts';

/** The most key/value tags of one workspace or project (live service). */
const mostBindings = 10;
const keyPattern = /^[\w.=+@:-]{1,128}$/;
const reservedPrefix = /^(?:hc|hcp|ibm):/i;
const longestValue = 256;

/**
 * What one layer declares for key/value tags, relative to the layers below it: the grammar of lists, with mappings. A
 * plain mapping in the defaults or a template adds; a plain mapping of a workspace or project is exact.
 */
export function bindingRule(raw: WrittenBindings, layer: Field['layer']): BindingRule {
  if (!isBindingForm(raw)) {
    return layer === 'workspace' ? { exactly: { ...raw } } : { add: { ...raw }, remove: [] };
  }
  if ('exactly' in raw) return { exactly: { ...raw.exactly } };
  return { add: { ...raw.add }, remove: [...(raw.remove ?? [])] };
}

/** The key/value tags that the file has here, as entries of a list: `env=prod`, or a key that is removed. */
export function writtenBindings(raw: WrittenBindings, origins: Origins): readonly WrittenList[] {
  const entries = (effect: WrittenList['effect'], bindings: TagBindings): WrittenList => {
    const keys = Object.keys(bindings).filter((key) => bindings[key] !== undefined);
    return {
      effect,
      items: keys.map((key) => bindingText(key, bindings[key] ?? null)),
      locate: (index) => locateKey(origins, bindings, keys[index] ?? ''),
    };
  };
  if (!isBindingForm(raw)) return [entries('list', raw)];
  if ('exactly' in raw) return isRecord(raw.exactly) ? [entries('exactly', raw.exactly)] : [];
  const { add, remove } = raw;
  return [
    ...(isRecord(add) ? [entries('add', add)] : []),
    ...(Array.isArray(remove)
      ? [{ effect: 'remove' as const, items: remove, locate: itemLocator(origins, remove) }]
      : []),
  ];
}

/** Reports keys and values that the service refuses, each at its place. Values that the schema removed are reported already. */
export function checkBindings(
  raw: WrittenBindings,
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
  address: string | undefined,
): void {
  if (isBindingForm(raw)) checkForm(raw, { origins, problems }, address);
  const holders = isBindingForm(raw) ? ('exactly' in raw ? [raw.exactly] : [raw.add ?? {}]) : [raw];
  for (const holder of holders.filter(isRecord))
    checkEntries(holder as TagBindings, { origins, problems }, { problemOf: declaredProblem, address });
  if (isBindingForm(raw) && 'add' in raw && isRecord(raw.add) && Array.isArray(raw.remove))
    for (const key of raw.remove) {
      if (!Object.hasOwn(raw.add, key)) continue;
      problems.error('added-and-removed', `the key ${quote(key)} is both added and removed`, {
        at: { address, location: locateKey(origins, raw.add, key) },
      });
    }
}

/** Reports tags of a selector or a scope that no workspace has. Key/value tags of the service itself have reserved prefixes. */
export function checkSelectedTags(
  selector: {
    readonly tag?: Texts | undefined;
    readonly tags?: Texts | undefined;
    readonly tagged?: TagBindings | undefined;
  },
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
): void {
  for (const key of ['tag', 'tags'] as const) {
    const written = selector[key];
    for (const [index, tag] of [written ?? []].flat().entries()) {
      const location =
        typeof written === 'object'
          ? locateValue(origins, written, index)
          : locateValue(origins, selector, key);
      checkText('the tag', tag, { problems, location });
    }
  }
  checkEntries(selector.tagged ?? {}, { origins, problems }, { problemOf: bindingProblem });
}

interface EntryCheck {
  readonly problemOf: typeof bindingProblem;
  readonly address?: string | undefined;
}

function checkEntries(
  bindings: TagBindings,
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
  { problemOf, address }: EntryCheck,
): void {
  for (const [key, value] of Object.entries(bindings)) {
    if (value === undefined) continue;
    const problem = problemOf(key, value);
    if (problem)
      problems.error('bad-value', problem.message, {
        at: { address, location: locateKey(origins, bindings, key) },
        hint: problem.hint,
      });
  }
}

/** A tag may be called as a key of the form is; beside another key of the form it is a part of the form. */
function checkForm(
  raw: object,
  { origins, problems }: Pick<Loading, 'origins' | 'problems'>,
  address: string | undefined,
): void {
  for (const [key, value] of Object.entries(raw)) {
    if (value === undefined || (key === 'remove' ? Array.isArray(value) : isRecord(value))) continue;
    const { message, hint } = formProblem(key, value, raw);
    problems.error('wrong-type', message, { at: { address, location: locateKey(origins, raw, key) }, hint });
  }
}

function formProblem(key: string, value: unknown, raw: object): { message: string; hint: string } {
  if (!['exactly', 'add', 'remove'].includes(key)) {
    const form = 'exactly' in raw ? 'exactly' : 'add';
    return {
      message: `unknown key ${quote(key)} in a mapping that changes tag-bindings`,
      hint: `write exactly, add or remove; a tag is one level deeper: "${form}: {${key}: ...}"`,
    };
  }
  const [type, hint] = key === 'remove' ? ['a list', '[key]'] : ['a mapping', '{key: value}'];
  return {
    message: `${quote(key)} must be ${type}, not ${quote(value)}`,
    hint: `write ${key}: ${hint}`,
  };
}

/** Whether the language can declare these key/value tags of one workspace or project. */
export function areDeclarable(bindings: TagBindings): boolean {
  const entries = Object.entries(bindings);
  return entries.length <= mostBindings && entries.every(([key, value]) => !declaredProblem(key, value));
}

function declaredProblem(key: string, value: string | null): ReturnType<typeof bindingProblem> {
  if (!reservedPrefix.test(key)) return bindingProblem(key, value);
  return {
    message: `the key ${quote(key)} has a prefix that the service reserves`,
    hint: 'use a key without the prefix "hc:", "hcp:" or "ibm:"',
  };
}

function bindingProblem(key: string, value: string | null): { message: string; hint: string } | undefined {
  if (!keyPattern.test(key))
    return {
      message: `${quote(key)} cannot be the key of a tag`,
      hint: 'use 1 to 128 letters, digits, and _ . = + - @ :',
    };
  if (value !== null && (value.length > longestValue || !/^[\w.=+@: -]*$/.test(value)))
    return {
      message: `${quote(value)} cannot be the value of a tag`,
      hint: `use at most ${longestValue} letters, digits, and _ . = + - @ :`,
    };
  if (value === '')
    return {
      message: `the key ${quote(key)} has an empty value`,
      hint: 'write null for a key without a value',
    };
  return undefined;
}

/** Reports more key/value tags than the service stores on one workspace or project. */
export function checkBindingCount(
  rule: Value | undefined,
  { problems }: Pick<Loading, 'problems'>,
  at: { readonly address: string; readonly location: SourceLocation },
): void {
  const declared = rule as BindingRule | undefined;
  const count = Object.keys(declared ? ('exactly' in declared ? declared.exactly : declared.add) : {}).length;
  if (count <= mostBindings) return;
  problems.error(
    'bad-value',
    `${count} key/value tags are declared, and the service stores ${mostBindings}`,
    { at },
  );
}
