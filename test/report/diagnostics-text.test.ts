import { expect, test } from 'vitest';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { escapeControls } from '../../src/report/escape-controls.ts';
import { colored, plain } from '../../src/report/paint.ts';
import { placedDiagnostics, renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';

function problem(sourceLine: string, column: number): Diagnostic {
  return {
    severity: 'error',
    code: 'unknown-key',
    message: 'no',
    location: { file: 'attune.yaml', line: 12, column },
    sourceLine,
  };
}

/** The two lines of the excerpt. */
function excerpt(sourceLine: string, column: number): readonly string[] {
  return renderDiagnostics([problem(sourceLine, column)])
    .split('\n')
    .slice(1, 3);
}

test('a diagnostic as text has place, code, line, caret and hint', () => {
  expect(renderDiagnostics([{ ...problem('    auto-aply: true', 5), hint: 'did you mean it?' }])).toBe(`\
attune.yaml:12:5: error[unknown-key]: no
  12 |     auto-aply: true
     |     ^
  hint: did you mean it?
`);
});

test('a diagnostic as text is printed without a line and without a place', () => {
  const { sourceLine: _, ...placed } = problem('', 1);
  const { location: __, ...bare } = placed;
  expect(renderDiagnostics([placed, { ...bare, severity: 'note' }])).toBe(`\
attune.yaml:12:1: error[unknown-key]: no
note[unknown-key]: no
`);
});

test('a problem in a file that two root files include is printed once, with its path from the working folder', () => {
  const diagnostics = [problem('x', 1)];
  const included = { diagnostics, path: () => 'shared.yaml' };
  const other = { diagnostics, path: (file: string) => `org/${file}` };
  const text = renderDiagnostics(placedDiagnostics([included, included, other]));
  expect(text.match(/^shared.yaml:12:1: error/gm)).toHaveLength(1);
  expect(text).toContain('\norg/attune.yaml:12:1: error');
});

test('a diagnostic is printed with colour', () => {
  const text = renderDiagnostics([{ ...problem('x', 1), severity: 'warning' }], colored);
  expect(text).toContain('\u001B[33mwarning[unknown-key]\u001B[39m: no');
  expect(text).toContain('\u001B[1m^\u001B[22m');
});

test('the caret of a diagnostic is in the right column below tabs, escaped characters and emoji', () => {
  expect(excerpt('\ta:\tb', 5)).toEqual(['  12 |  a: b', '     |     ^']);
  expect(excerpt('a\u001B[31m: b', 9)).toEqual(['  12 | a\\u{1b}[31m: b', '     |              ^']);
  expect(excerpt('🚀🚀: b', 7)).toEqual(['  12 | 🚀🚀: b', '     |     ^']);
});

test('a long line of a diagnostic is clipped around the caret', () => {
  const [line, caret] = excerpt(`${'a'.repeat(500)}HERE${'b'.repeat(500)}`, 501);
  expect(line).toBe(`  12 | ...${'a'.repeat(60)}HERE${'b'.repeat(36)}...`);
  expect(caret).toBe(`     | ${' '.repeat(63)}^`);
  expect(excerpt(`HERE${'b'.repeat(500)}`, 1)[0]).toBe(`  12 | HERE${'b'.repeat(96)}...`);
});

test.each([40, 60, 80])(
  'on a terminal of %i columns a source line of a diagnostic is one line with the caret below',
  (width) => {
    const line = `${'a'.repeat(70)}HERE${'b'.repeat(70)}`;
    for (const column of [1, 30, 71, 144]) {
      const [source = '', caret = ''] = renderDiagnostics([problem(line, column)], plain, width)
        .split('\n')
        .slice(1, 3);
      expect(source.length).toBeLessThanOrEqual(width);
      expect(caret.length).toBeLessThanOrEqual(width);
      expect(source[caret.length - 1]).toBe(line[column - 1]);
      expect(source.slice(caret.length - 1)).toMatch(column === 71 ? /^HERE/ : /^[ab]/);
    }
  },
);

test('control characters of a diagnostic are shown in a form that can be read', () => {
  expect(escapeControls('a\nb\r\tc\u0000\u001B\u007F\u0085\u200F\u202E\u2069\uFEFFd')).toBe(
    'a\\nb\\r\\tc\\u{0}\\u{1b}\\u{7f}\\u{85}\\u{200f}\\u{202e}\\u{2069}\\u{feff}d',
  );
  expect(escapeControls('héllo 🚀 日本')).toBe('héllo 🚀 日本');
});
