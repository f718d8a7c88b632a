import type { FieldChange } from '../../model/change.ts';
import type { Value } from '../../model/value.ts';
import { valueText } from '../text/field-text.ts';
import { type Fragment, type Html, html } from './escape.ts';
import { lineDifference } from './lines.ts';
import type { Wording } from './wording.ts';
import { counted, figure } from './words.ts';

/** How many items of one list are shown; the rest is counted. */
const mostItems = 120;

/** One field of a change: its name, and what it was and will be. */
export function fieldRow(field: FieldChange, isNew: boolean, wording: Wording): Html {
  return html`<div><dt>${field.path}</dt><dd>${isNew ? newValue(field) : difference(field, wording)}</dd></div>`;
}

function newValue({ path, after }: FieldChange): Html {
  if (path === 'lock') return html`locked`;
  if (isTextList(after) && after.length > 0) return chips(after.map((item) => ({ item, mark: '' })));
  if (isMultiline(after)) return lineDifference('', after, { isNew: true });
  return value(after);
}

function difference({ path, before, after, add, remove }: FieldChange, wording: Wording): Html {
  if (path === 'lock') return beforeAfter(lockWord(before), lockWord(after), wording);
  if (add !== undefined && remove !== undefined) {
    const signed = [
      ...add.map((item) => ({ item, mark: '+' as const })),
      ...remove.map((item) => ({ item, mark: '−' as const })),
    ];
    if (signed.length === 0) return beforeAfter(value(before), value(after), wording);
    return html`${chips(signed)}${sizes(before, after)}`;
  }
  if (isMultiline(before) || isMultiline(after)) {
    return lineDifference(textOf(before), textOf(after), { isNew: false });
  }
  return beforeAfter(value(before), value(after), wording);
}

function beforeAfter(before: Html, after: Html, { before: was, after: is }: Wording): Html {
  const label = (text: string) => text !== '' && html`<small>${text}</small> `;
  return html`<del>${label(was)}${before}</del> → <ins>${label(is)}${after}</ins>`;
}

function value(content: Value): Html {
  const isNothing = content === null || content === '' || (Array.isArray(content) && content.length === 0);
  return isNothing ? html`<span class="none">none</span>` : html`${valueText(content)}`;
}

function lockWord(locked: Value): Html {
  return html`${locked === true ? 'locked' : 'unlocked'}`;
}

interface Chip {
  readonly item: string;
  readonly mark: '' | '+' | '−';
}

const chipWords = { '': '', '+': 'adds ', '−': 'removes ' } as const;
const chipClasses = { '': '', '+': ' gain', '−': ' loss' } as const;

function chips(items: readonly Chip[]): Html {
  const shown = items
    .slice(0, mostItems)
    .map(
      ({ item, mark }): Fragment =>
        html`<li class="chip${chipClasses[mark]}">${mark !== '' && html`<b aria-hidden="true">${mark}</b><span class="sr">${chipWords[mark]}</span>`}${valueText(item)}</li>`,
    );
  const rest = items.length - mostItems;
  return html`<ul class="chips">${shown}${rest > 0 && html`<li class="more">and ${figure(rest)} more</li>`}</ul>`;
}

function sizes(before: Value, after: Value): Html | undefined {
  if (before === null) return html`<span class="aside">what is stored cannot be read before</span>`;
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  return html`<span class="aside">${figure(before.length)} → ${counted(after.length, 'item')}</span>`;
}

function isTextList(content: Value): content is readonly string[] {
  return Array.isArray(content) && content.every((item) => typeof item === 'string');
}

function isMultiline(content: Value): content is string {
  return typeof content === 'string' && content.includes('\n');
}

function textOf(content: Value): string {
  return typeof content === 'string' ? content : '';
}
