import { expect, test } from 'vitest';
import { escapeControls, jsonLine, jsonText } from '../../src/report/escape-controls.ts';

const invisible = 'a\u200bb\u00adc\u2060d\u3164e\u2800f\u115fg\u180eh\u{e0041}';

test('invisible characters are printed as escapes', () => {
  expect(escapeControls(invisible)).toBe(
    'a\\u{200b}b\\u{ad}c\\u{2060}d\\u{3164}e\\u{2800}f\\u{115f}g\\u{180e}h\\u{e0041}',
  );
});

test('JSON has invisible characters as escapes, and the same data', () => {
  const text = jsonText({ invisible });
  expect(text).toBe(
    '{\n  "invisible": "a\\u200bb\\u00adc\\u2060d\\u3164e\\u2800f\\u115fg\\u180eh\\udb40\\udc41"\n}\n',
  );
  expect(JSON.parse(text)).toEqual({ invisible });
});

test('an emoji of several characters is printed as it is', () => {
  for (const emoji of ['👩‍💻', '❤️', '👍🏽', '👨‍👩‍👧‍👦', '🏳️‍🌈']) expect(escapeControls(emoji)).toBe(emoji);
  expect(escapeControls('👍\u200d')).toBe('👍\\u{200d}');
});

test.each([
  ['##[error]x', '##\\u{5b}error]x'],
  ['a ##vso[task.x]##VSO[y]', 'a ##vso\\u{5b}task.x]##VSO\\u{5b}y]'],
  ["##teamcity[buildStatus status='SUCCESS']", "##teamcity\\u{5b}buildStatus status='SUCCESS']"],
  ['  ::error::x', '  \\u{3a}:error::x'],
  ['a ::error::x', 'a ::error::x'],
])('a command of a job log is escaped: %s', (text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
});

test('JSON has no command of a job log, and the same data', () => {
  const document = { '##[error]': '##vso[task.x]##[group]##VSO[x]##teamcity[x]', plain: '#[ ## [ ###' };
  for (const text of [jsonText(document), jsonLine(document)]) {
    expect(text).not.toMatch(/##(vso|teamcity)?\[/i);
    expect(JSON.parse(text)).toEqual(document);
  }
});
