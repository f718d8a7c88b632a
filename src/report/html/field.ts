import type { SourceLocation } from '../../model/diagnostic.ts';
import { isTexts, type Value } from '../../model/value.ts';
import type { PermissionView } from '../access-view.ts';
import type { FieldView } from '../change-view.ts';
import { valueText } from '../text/change-text.ts';
import { countedFigure, figure, placeText, shortenedLabel } from '../words.ts';
import { chipList } from './elements.ts';
import { type Html, html } from './escape.ts';
import type { Wording } from './page-entry.ts';

/** How many items of one list are shown; the rest is counted. */
const mostItems = 120;

/** One field of a change: its name, and what it was and will be. */
export function fieldRow(field: FieldView, wording: Wording, places: readonly SourceLocation[] = []): Html {
  const [place, ...others] = places;
  const more = others.length > 0 && html` <span class="aside">and ${figure(others.length)} more</span>`;
  return html`<div><dt>${field.path}</dt><dd>${fieldValue(field, wording)}${place && html` <code class="place">${placeText(place)}</code>${more}`}</dd></div>`;
}

function fieldValue(field: FieldView, wording: Wording): Html {
  switch (field.shape) {
    case 'new':
      return newValue(field.after);
    case 'value':
      return changedValue(field.before, field.after, wording);
    case 'lock':
      return beforeAfter(html`${field.before}`, html`${field.after}`, wording);
    case 'list': {
      const { before, after } = field;
      const sizes = html`<span class="aside">${figure(before.length)} → ${countedFigure(after.length, 'item')}</span>`;
      return html`${signedChips(field)}${sizes}`;
    }
    case 'list-change':
      return signedChips(field);
    case 'unread-list':
      return field.add.length + field.remove.length === 0
        ? beforeAfter(value(null), value(field.after), wording)
        : html`${signedChips(field)}<span class="aside">the live list is unknown</span>`;
    default:
      return field satisfies never;
  }
}

function newValue(after: Value): Html {
  if (isTexts(after) && after.length > 0) return chips(after.map((item) => ({ item, mark: '' })));
  if (isMultiline(after)) return lineDifference('', after, { isNew: true });
  return value(after);
}

function changedValue(before: Value, after: Value, wording: Wording): Html {
  return isMultiline(before) || isMultiline(after)
    ? lineDifference(textOf(before), textOf(after), { isNew: false })
    : beforeAfter(value(before), value(after), wording);
}

function signedChips({ add, remove }: { add: readonly string[]; remove: readonly string[] }): Html {
  return chips([
    ...add.map((item) => ({ item, mark: '+' as const })),
    ...remove.map((item) => ({ item, mark: '−' as const })),
  ]);
}

function beforeAfter(before: Html, after: Html, { before: was, after: is }: Wording): Html {
  const label = (text: string) => text !== '' && html`<small>${text}</small> `;
  return html`<del>${label(was)}${before}</del> → <ins>${label(is)}${after}</ins>`;
}

function value(content: Value): Html {
  const isNothing = content === null || content === '' || (Array.isArray(content) && content.length === 0);
  return isNothing ? html`<span class="none">none</span>` : html`${valueText(content)}`;
}

interface Chip {
  readonly item: string;
  readonly mark: '' | '+' | '−';
}

const chipWords = { '': '', '+': 'adds ', '−': 'removes ' } as const;
const chipClasses = { '': '', '+': ' gain', '−': ' loss' } as const;

function chips(items: readonly Chip[]): Html {
  return chipList(
    items,
    mostItems,
    ({ item, mark }) =>
      html`<li class="chip${chipClasses[mark]}">${mark !== '' && html`<b aria-hidden="true">${mark}</b><span class="sr">${chipWords[mark]}</span>`}${valueText(item)}</li>`,
  );
}

function isMultiline(content: Value): content is string {
  return typeof content === 'string' && content.includes('\n');
}

function textOf(content: Value): string {
  return typeof content === 'string' ? content : '';
}

/** What is granted and what is revoked, a permission on each line. */
export function permissionList(permissions: readonly PermissionView[]): Html | undefined {
  if (permissions.length === 0) return undefined;
  return html`<ul class="permissions">${permissions.map(permission)}</ul>`;
}

function permission({ path, isGain, levels }: PermissionView): Html {
  const { tone, sign, verb } = isGain
    ? { tone: 'gain', sign: '+', verb: 'grants' }
    : { tone: 'loss', sign: '−', verb: 'revokes' };
  return html`<li class="${tone}"><b aria-hidden="true">${sign}</b> ${verb} <code>${path}</code> ${levels.map(valueText).join(' → ')}</li>`;
}

/** How much of a text of many lines is shown. */
const mostLines = 80;
const longestLine = 400;

/** A text of many lines: the lines that go, then those that come, between the ones that stay. */
function lineDifference(before: string, after: string, { isNew }: { isNew: boolean }): Html {
  const [had, has] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < had.length && head < has.length && had[head] === has[head]) head += 1;
  let tail = 0;
  const shorter = Math.min(had.length, has.length) - head;
  while (tail < shorter && had[had.length - 1 - tail] === has[has.length - 1 - tail]) tail += 1;
  const lines = isNew
    ? has.map((text) => line('', text))
    : [
        ...has.slice(0, head).map((text) => line(' ', text)),
        ...had.slice(head, had.length - tail).map((text) => line('−', text)),
        ...has.slice(head, has.length - tail).map((text) => line('+', text)),
        ...has.slice(has.length - tail).map((text) => line(' ', text)),
      ];
  const rest = lines.length - mostLines;
  return html`<div class="lines">${lines.slice(0, mostLines)}${rest > 0 && html`<span class="more">and ${figure(rest)} more lines</span>`}</div>`;
}

type Mark = '' | ' ' | '+' | '−';
const classes: Readonly<Record<Mark, string>> = { '': '', ' ': '', '+': ' gain', '−': ' loss' };
const words: Readonly<Record<Mark, string>> = { '': '', ' ': '', '+': 'added: ', '−': 'removed: ' };

function line(mark: Mark, text: string): Html {
  const sign = mark !== '' && html`<b aria-hidden="true">${mark}</b>`;
  const word = words[mark] !== '' && html`<span class="sr">${words[mark]}</span>`;
  return html`<span class="line${classes[mark]}">${sign}${word}<code>${shortenedLabel(text, longestLine)}</code></span>`;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split(/\r?\n/);
}
