import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import { scalarOffsets } from '../../src/desired/policies.ts';
import { cases } from '../support/cases.ts';

/** The string under `require` of a file, and the offsets of its characters. */
function read(text: string): { value: string; offsets: readonly number[] | undefined } {
  const { contents } = parseDocument(text);
  const node = isMap(contents) ? contents.get('require', true) : undefined;
  if (!isScalar(node) || typeof node.value !== 'string' || !node.range) throw new Error(`no string: ${text}`);
  return { value: node.value, offsets: scalarOffsets(text, node.range[0], node.value) };
}

/** Where `~` is in the file: as `line:column`, both from 1. */
function placeOfMark(text: string): string | undefined {
  const { value, offsets } = read(text);
  const at = offsets?.[value.indexOf('~')];
  if (at === undefined) return undefined;
  const before = text.slice(0, at).split('\n');
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`;
}

describe('the place of a character of a YAML string', () => {
  test.each([
    ['plain', 'require: a == ~b', '1:15'],
    ['plain over lines', 'require: a\n  &&\n\n  ~b', '4:3'],
    ['single-quoted', "require: 'a == ''x'' && ~b'", '1:25'],
    ['double-quoted', 'require: "a == \\"x\\" && \\u0041 ~b"', '1:32'],
    ['double-quoted over lines', 'require: "a\n  && \\\n    ~b"', '3:5'],
    ['literal', 'require: |\n  a &&\n    b ||\n\n  ~c\n', '5:3'],
    ['literal with indicators', 'require: |2-  # rule\n    a\n  ~b\n', '3:3'],
    ['folded', 'require: >-\n  a &&\n  b\n\n  ~c\n', '5:3'],
    ['folded with an indented line', 'require: >\n  a\n    && b\n  ~c\n', '4:3'],
    ['anchored', 'require: &rule a == ~b', '1:21'],
    ['with Windows line ends', 'require: |\r\n  a\r\n  ~b\r\n', '3:3'],
    ['in a flow mapping', '{id: a, require: a == ~b}', '1:23'],
  ])('the place of a character of a YAML string is exact in a %s string', (_style, text, place) => {
    expect(placeOfMark(text)).toBe(place);
  });

  test('the place of a character of a YAML string is unknown if the value is the alias of an anchor', () => {
    expect(scalarOffsets('a: *rule', 3, 'x == 1')).toBeUndefined();
  });

  test('the place of a character of a YAML string has this character for every style of a YAML writer', () => {
    const styles = fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED');
    const words = fc.constantFrom(
      'a',
      "'b'",
      '"c"',
      '&&',
      '\n',
      '\n\n',
      '  ',
      '!d',
      'é',
      '😀',
      '\\',
      '#',
      ': ',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), styles, (parts, style) => {
        // A blank string is not an expression.
        const value = ['a', ...parts].join(' ');
        const text = stringify({ require: value }, { defaultStringType: style, lineWidth: 40 });
        const { offsets } = read(text);
        expect(offsets, text).toHaveLength(value.length);
        const isSame = (offset: number, index: number) => {
          const character = value[index] ?? '';
          return text[offset] === character || text[offset] === '\\' || /\s/.test(character);
        };
        expect(offsets?.every(isSame), text).toBe(true);
      }),
      cases({ fast: 200, soak: 20_000 }),
    );
  });
});
