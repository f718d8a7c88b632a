import { type Html, html } from './escape.ts';
import { figure, shortened } from './words.ts';

/** How much of a text of many lines is shown. */
const mostLines = 80;
const longestLine = 400;

/** A text of many lines: the lines that go, then those that come, between the ones that stay. */
export function lineDifference(before: string, after: string, { isNew }: { isNew: boolean }): Html {
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
  return html`<span class="line${classes[mark]}">${sign}${word}<code>${shortened(text, longestLine)}</code></span>`;
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split(/\r?\n/);
}
