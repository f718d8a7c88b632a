import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, htmlText, trusted } from '../../src/report/html/escape.ts';
import { anyCharacter, cases } from '../support/cases.ts';

test.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  [`" onclick='x'`, '&quot; onclick=&#39;x&#39;'],
  ['&amp;', '&amp;amp;'],
  ['a\u0000b\u001B[31m', 'a\\u{0}b\\u{1b}[31m'],
  ['one\ntwo', 'one\\ntwo'],
  ['\u202Egnp.exe', '\\u{202e}gnp.exe'],
])('the text %j is escaped in HTML', (text, expected) => {
  expect(htmlText(html`<p title="${text}">${text}</p>`)).toBe(`<p title="${expected}">${expected}</p>`);
});

test('html`` keeps markup, joins lists and leaves nothing out', () => {
  const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
  expect(htmlText(html`<ul>${items}${undefined}${false}${3}${trusted('<hr>')}</ul>`)).toBe(
    '<ul><li>a</li><li>&lt;b&gt;</li>3<hr></ul>',
  );
});

test('html`` escapes data that looks like its own markup', () => {
  const data = JSON.parse('{"Symbol(markup)": "<script>"}');
  expect(htmlText(html`${data}`)).not.toContain('<script>');
});

test('html`` escapes any text so that it adds no markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const escaped = htmlText(html`${text}`);
      expect(escaped).not.toMatch(/[<>"']|[^\P{Cc}]|&(?!(amp|lt|gt|quot|#39);)/u);
    }),
    cases({ fast: 10, soak: 1000 }),
  );
});
