import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../src/desired/files/parse-yaml.ts';
import { toPlainData } from '../../src/desired/files/plain-data.ts';
import { readPlainYaml } from '../../src/desired/files/read-plain-yaml.ts';
import { createSource, type NodeOrigin, Origins } from '../../src/desired/files/source.ts';
import { createProblems } from '../../src/desired/problems.ts';
import { cases } from '../support/cases.ts';

const usual = `---
# a comment
attune: 1
organization: acme # another
service: {address: "https://iac.example.com", rate: 20, without: [team-access]}

include:
  - workspaces/*.yaml
  - 'more/*.yaml'   # quoted
workspaces:
  network-prod:
    auto-apply: true
    description: Shared (VPCs), 100% of them
    iac-version: "~> 1.9.0"
    trigger-prefixes: [ /modules/net, "b c" ]
    tags:
    - network
    - prod
    remote-state-consumers: [{tag: needs-network, name: app-*}, ws-4Fq]
    lock: {}
    data-retention: null
  legacy: {state: absent, delete: safe}
scope: {names: ["*-prod"], projects: []}
`;

interface Reading {
  readonly data: unknown;
  readonly origins: Origins;
}

function readPlain(text: string): Reading | undefined {
  const origins = new Origins();
  const data = readPlainYaml(createSource('a.yaml', text), origins);
  return data && { data, origins };
}

/** What the library reads that reports mistakes; undefined where it reports a problem. */
function readWithLibrary(text: string): Reading | undefined {
  const source = createSource('a.yaml', text);
  const problems = createProblems();
  const origins = new Origins();
  const node = parseYaml(source, problems);
  const { data } = node ? toPlainData(node, { source, origins, problems }) : {};
  return problems.diagnostics([source]).length > 0 ? undefined : { data, origins };
}

/** Data with the offsets of everything in it. */
function located({ data, origins }: Reading): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const { start, names, offsets } = origins.get(data) as NodeOrigin;
  const values = Object.values(data).map((value) => located({ data: value, origins }));
  return { keys: Object.keys(data), start, names, offsets: Array.from(offsets), values };
}

describe('the reader of plain YAML', () => {
  test('readPlainYaml reads the usual style of a configuration', () => {
    const plain = readPlain(usual);
    const library = readWithLibrary(usual);
    expect(plain && located(plain)).toEqual(library && located(library));
    expect(plain).toBeDefined();
  });

  test.each([
    ['text over several lines', 'a: one\n  two\n', 'one two'],
    ['a block of text', 'b: 1\na:  | # kept\n  one\n  two\n', 'one\ntwo\n'],
    ['a folded block of text', 'a: >-\n  one\n  two\n', 'one two'],
    ['an escape', 'a: "\\u0041"\n', 'A'],
    ['a hexadecimal number', 'a: 0x1f\n', 31],
    ['zero', 'a: 0\nb: -1\n', 0],
    ['a negative zero', 'a: -0\n', -0],
    ['a number that looks like a date', 'a: 2026-01-31\n', '2026-01-31'],
    ['a missing value', 'a: # nothing\nb: 1\n', null],
    ['a list of several lines', 'a: [1,\n  2]\n', [1, 2]],
    ['a file with the line ends of Windows', '# c\r\na: one\r\n  two\r\nb:\r\n', 'one two'],
  ])('readPlainYaml reads %s as the other library does', (_, text, value) => {
    const plain = readPlain(text);
    const library = readWithLibrary(text);
    expect(plain && located(plain)).toEqual(library && located(library));
    expect(plain?.data).toMatchObject({ a: value });
  });

  test.each([
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: *x\n'],
    ['a merge key', '<<: {a: 1}\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a directive', '%YAML 1.2\n---\na: 1\n'],
    ['a duplicate key', 'a: 1\na: 2\n'],
    ['a tab', 'a:\t1\n'],
    ['a key on its own line', '? a\n: 1\n'],
    ['a mapping as a key', '{a: 1}: 1\n'],
    ['a missing item of a list', 'a:\n-\n- 1\n'],
    ['a syntax error', 'a: [1\n'],
    ['the end of a document', '...\na: 1\n'],
    ['a block of text that keeps its line breaks', 'a: |+\n\n  '],
    ['a block of text with its indentation', 'a: |2\n    '],
    ['a key behind a value', 'a:\n  - ""  b: 1\n'],
    ['a second document', 'a: 1\n---\nb: 2\n'],
    ['a file without data', '# nothing\n'],
    ['a number with an exponent that is too large', 'a: 1e400\n'],
    ['a negative number that is too large', 'a: -.1e400\n'],
    ['a hexadecimal number that is too large', `a: 0x${'f'.repeat(300)}\n`],
    ['a list of a number that is too large', `a: [1${'0'.repeat(400)}]\n`],
    ['a file that is no mapping', '- 1\n'],
    ['a deeply nested file', `a: ${'['.repeat(21)}${']'.repeat(21)}\n`],
    ['a very long file', `a: ${'x'.repeat(8 * 1024 * 1024)}\n`],
  ])('readPlainYaml leaves %s to the other library', (_, text) => {
    expect(readPlain(text)).toBeUndefined();
  });

  test('every scalar of plain YAML has the value that the other library finds', () => {
    const part = fc.constantFrom(
      ...'+-.01789eExXoObnNaAuUlLtTrRsSiIfF_~yY',
      ...['0x', '0o', '0b', 'e400', '.inf', '.NaN', 'true', 'False', 'null', 'NULL', '1_0', '1:30'],
      ...['9'.repeat(320), 'f'.repeat(300), '7'.repeat(400), 'e-400'],
    );
    const scalar = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(scalar, (written) => {
        const text = `a: ${written}\n`;
        const plain = readPlain(text);
        if (plain) expect(plain.data).toEqual(readWithLibrary(text)?.data);
      }),
      cases({ fast: 200, soak: 20_000 }),
    );
  });

  test('a mapping of plain YAML has no names that the file does not have', () => {
    const { data } = readPlain('a: 1\n') as { data: Record<string, unknown> };
    expect([data.constructor, data.toString]).toEqual([undefined, undefined]);
  });

  test('plain YAML has the data and the locations that the other library finds', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b-1',
        'key',
        '1.10',
        '1.9.5',
        '-1',
        '0x1f',
        '1e3',
        '.5',
        '~',
        'null',
        'Null',
        'true',
        'no',
        '2026-01-31',
      ],
      ...[
        ': ',
        ':',
        '\n',
        '\n  ',
        '\n    ',
        '\n- ',
        '\n  - ',
        '- ',
        ' ',
        '  ',
        ' #',
        '#',
        ', ',
        ',',
        '[',
        ']',
        '{',
        '}',
      ],
      ...[
        '"',
        "'",
        '""',
        "''",
        '\\',
        '&x',
        '*x',
        '!t',
        '|',
        '>',
        '?',
        '? ',
        '%',
        '@',
        '`',
        '<<',
        '---',
        '...',
        '\t',
        '\r',
        '\r\n',
        '\r\n  ',
        '>-\n  ',
        '|+\n\n  ',
        ' |2\n    ',
        '\\n',
        '+1',
        '.inf',
        '0o17',
        '-.5',
        '1_000',
      ],
      ...[
        'é',
        '\u00a0',
        '\u200b',
        '\ufeff',
        '\u2028',
        '😀',
        '\n\n',
        '\n# c\n',
        'a: 1\n',
        'b:\n  c: x y\n',
        '[a, b]',
        '{a: 1}',
      ],
    );
    const assembled = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(''));
    const edited = fc
      .record({ at: fc.nat(usual.length), cut: fc.nat(6), piece: fc.oneof(piece, fc.constant('')) })
      .map((edit) => usual.slice(0, edit.at) + edit.piece + usual.slice(edit.at + edit.cut));
    fc.assert(
      fc.property(fc.oneof(assembled, edited), (text) => {
        const plain = readPlain(text);
        if (!plain) return;
        const library = readWithLibrary(text);
        expect(library && located(library)).toEqual(located(plain));
      }),
      cases({ fast: 100, soak: 5000 }),
    );
  });
});
