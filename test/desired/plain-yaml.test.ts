import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Origins } from '../../src/desired/origins.ts';
import { parseYaml } from '../../src/desired/parse-yaml.ts';
import { toPlainData } from '../../src/desired/plain-data.ts';
import { readPlainYaml } from '../../src/desired/plain-yaml.ts';
import { createProblems } from '../../src/desired/problems.ts';
import { createSource } from '../../src/desired/source.ts';

/** What is read, with the places of everything. Undefined where it is not plain YAML. */
function read(text: string): unknown {
  const origins: Origins = new Map();
  const data = readPlainYaml(createSource('a.yaml', text), origins);
  return data === undefined ? undefined : withPlaces(data, origins);
}

/** The same by way of the YAML library; its problems where it finds any. */
function readByLibrary(text: string): unknown {
  const source = createSource('a.yaml', text);
  const problems = createProblems();
  const origins: Origins = new Map();
  const node = parseYaml(source, problems);
  const made = node && toPlainData(node, { source, origins, problems });
  const found = problems.diagnostics([source]);
  return made && found.length === 0 ? withPlaces(made.data, origins) : found.map(({ message }) => message);
}

function withPlaces(data: unknown, origins: Origins): unknown {
  if (typeof data !== 'object' || data === null) return data;
  const origin = origins.get(data);
  const places = { start: origin?.start, keys: [...(origin?.keys ?? [])], items: origin?.items ?? [] };
  const inner = Object.keys(data).map((key) => withPlaces((data as Record<string, unknown>)[key], origins));
  return { list: Array.isArray(data), keys: Object.keys(data), places, inner };
}

const sample = `# a comment
attune: 1
service: {address: "https://iac.example.com", rate: 20}   # another
include: [workspaces/*.yaml, 'a b']
defaults:
  workspace: {execution-mode: remote, tags: [managed, "x"], nested: [[1], {a: []}]}

workspaces:
  network-prod:
    # a comment inside
    iac-version: 1.9.0
    description: Shared VPCs, (all:of) a#b  # and so on
    auto-apply: false
    "quoted": null
    remote-state-consumers:
      - billing-prod
      - {tag: needs-network}
      - name: app
        more: 1
      -
        below: yes
    trigger-prefixes:
    - a
    - b/c
  010: {}
  __proto__: {lock: true}
`;

describe('plain YAML', () => {
  test('is read without the library', () => {
    expect(read(sample)).toEqual(readByLibrary(sample));
  });

  test.each([
    ['an anchor', 'a: &x 1\n'],
    ['an alias', 'a: *x\n'],
    ['a merge key', 'a:\n  <<: {b: 1}\n'],
    ['a tag', 'a: !!str 1\n'],
    ['a block scalar', 'a: |\n  text\n'],
    ['a value over two lines', 'a: b\n  c\n'],
    ['quotes over two lines', 'a: "b\n  c"\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a doubled quote', "a: 'it''s'\n"],
    ['brackets over two lines', 'a: [b,\n  c]\n'],
    ['a tab', 'a:\tb\n'],
    ['a Windows line end', 'a: b\r\n'],
    ['a document start', '---\na: b\n'],
    ['an empty value', 'a:\nb: 1\n'],
    ['a key twice', 'a: 1\na: 2\n'],
    ['a broken number', 'a: 1.10\n'],
    ['a hexadecimal number', 'a: 0x1F\n'],
    ['a list as the file', '- a\n'],
    ['a scalar as the file', 'a\n'],
    ['a key in the wrong column', 'a:\n    b: 1\n  c: 2\n'],
    ['two colons', 'a: b: c\n'],
    ['a deep nesting', `a: ${'['.repeat(30)}${']'.repeat(30)}\n`],
    ['nothing', '\n# nothing\n'],
  ])('is not %s', (_title, text) => {
    expect(read(text)).toBeUndefined();
  });

  const scrap = fc.constantFrom(
    ...[
      ' ',
      '  ',
      '\n',
      '\n  ',
      '\n    ',
      '-',
      '- ',
      ':',
      ': ',
      ',',
      ', ',
      '#',
      ' #',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      '[]',
      '{}',
    ],
    ...[
      'a',
      'b: ',
      'c:\n',
      '0',
      '1.5',
      '.5',
      '0o7',
      'null',
      'true',
      'True',
      '~',
      'é',
      '🚀',
      '.',
      '...',
      '---',
      '?',
      '&x ',
      '*x',
      '!t ',
    ],
    ...[
      '|',
      '>',
      '%',
      '@',
      '`',
      '<<',
      '<<: ',
      '\\',
      '\t',
      '\r\n',
      '__proto__',
      '12:30:45',
      '2024-01-01',
      '1e3',
      '-1',
      '+1',
      '(',
      '/',
      '=',
    ],
  );
  const mutation = fc.record({ at: fc.nat(sample.length), drop: fc.nat(6), insert: scrap });
  const mutated = fc
    .array(mutation, { minLength: 1, maxLength: 5 })
    .map((all) =>
      all.reduce((text, { at, drop, insert }) => text.slice(0, at) + insert + text.slice(at + drop), sample),
    );
  const pieced = fc.array(scrap, { minLength: 1, maxLength: 25 }).map((pieces) => pieces.join(''));

  test.each([
    ['a file with random changes', mutated],
    ['random pieces', pieced],
  ])('%s means the same to the library, places included', (_title, texts) => {
    let plain = 0;
    const property = fc.property(texts, (text) => {
      const found = read(text);
      if (found === undefined) return;
      plain++;
      expect(found).toEqual(readByLibrary(text));
    });
    fc.assert(property, { numRuns: Number(process.env.FUZZ_RUNS ?? 2000) });
    expect(plain).toBeGreaterThan(0);
  });
});
