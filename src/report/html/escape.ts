import { escapeControls } from '../escape-controls.ts';

const markup = Symbol('markup');

export interface Html {
  readonly [markup]: string;
}

/** A value of a template: text is escaped, markup is not, lists are joined, `undefined` and `false` are omitted. */
export type Fragment = Html | string | number | undefined | false | readonly Fragment[];

/**
 * A template for markup. Every value in it is escaped, for text and for attributes in double quotes alike; control
 * characters and marks that turn the direction of text become visible escapes.
 *
 * @example html`<td title="${name}">${name}</td>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += fragmentText(value) + (strings[index + 1] ?? '');
  return { [markup]: text };
}

/** Marks text as markup. Only for what this program itself wrote: its style and its script. */
export function trusted(text: string): Html {
  return { [markup]: text };
}

export function htmlText(fragment: Html): string {
  return fragment[markup];
}

function fragmentText(value: Fragment): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string')
    return escapeControls(value).replace(/[&<>"']/g, (character) => entities[character] ?? character);
  if (isList(value)) return value.map(fragmentText).join('');
  return value[markup];
}

function isList(value: Html | readonly Fragment[]): value is readonly Fragment[] {
  return Array.isArray(value);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
