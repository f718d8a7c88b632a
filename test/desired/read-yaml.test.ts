import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMap, isScalar, isSeq, type Node, type ParsedNode, parseAllDocuments } from 'yaml';
import { readYaml } from '../../src/desired/files/read-yaml.ts';
import { createSource, keyOffsets } from '../../src/desired/files/source.ts';
import { createLoading } from '../../src/desired/problems.ts';
import { cases } from '../support/cases.ts';
import { rowsIn } from '../support/rows.ts';

async function read(text: string) {
  const source = createSource('a.yaml', text);
  const loading = createLoading();
  const data = await readYaml(source, loading);
  return { data, origins: loading.origins, problems: loading.problems.diagnostics([source]) };
}

/** A text, the value of its key `a`, and the offset of the value. */
const values = rowsIn<{ text: string; a: unknown; at: number }>`
  - {text: "a: one\n  two\n", a: one two, at: 3}
  - {text: "b: 1\na:  | # kept\n  one\n  two\n", a: "one\ntwo\n", at: 9}
  - {text: "a: >-\n  one\n  two\n", a: one two, at: 3}
  - {text: "a: |+\n  one\n\n", a: "one\n\n", at: 3}
  - {text: 'a: "\u0041"', a: A, at: 3}
  - {text: "a: 0x1f", a: 31, at: 3}
  - {text: "a: -0", a: -0, at: 3}
  - {text: "a: 1_0", a: 1_0, at: 3}
  - {text: "a: 2026-01-31", a: "2026-01-31", at: 3}
  - {text: "a: 1e400", a: "1e400", at: 3}
  - {text: "a: # nothing\nb: 1", a: null, at: 3}
  - {text: "b: [1]\na:\n", a: null, at: 9}
  - {text: "{b: 1, a}", a: null, at: 8}
  - {text: "? a\n: 1", a: 1, at: 6}
  - {text: "a: [1,\n  2]", a: [1, 2], at: 3}
  - {text: "a:\n-\n- 1", a: [null, 1], at: 3}
  - {text: "# c\r\na: one\r\n  two\r\nb:\r\n", a: one two, at: 8}
  - {text: "b: &x {c: 1}\na: *x", a: {c: 1}, at: 16}
  - {text: "b: &x {c: 1}\na: {<<: *x, d: 2}", a: {c: 1, d: 2}, at: 16}
  - {text: "a: !!str 1.10", a: "1.10", at: 9}
  - {text: "%YAML 1.2\n---\na:\t1\n...\n", a: 1, at: 17}
`;

test.each(values)('YAML is read with the location of each value: $text', async ({ text, a, at }) => {
  const { data, origins, problems } = await read(text);
  expect({ problems, data }).toMatchObject({ problems: [], data: { a } });
  const origin = origins.get(data as object);
  expect(origin && keyOffsets(origin, 'a')[1]).toBe(at);
});

test('a mapping has no names that the file does not have', async () => {
  const { data } = await read('a: 1\n');
  const { constructor: own, toString: text } = data as Record<string, unknown>;
  expect([own, text]).toEqual([undefined, undefined]);
});

const usual = `---
# a comment
attune: 1
service: {address: "https://iac.example.com", rate: 20, without: [team-access]}

include:
  - workspaces/*.yaml
  - 'more/*.yaml'   # quoted
workspaces:
  network-prod:
    description: Shared (VPCs), 100% of them
    trigger-prefixes: [ /modules/net, "b c" ]
    tags:
    - network
    - prod
    lock: {}
    data-retention: null
  legacy: {state: absent, delete: safe}
`;
const pieces = fc.constantFrom(
  ...['a', 'key', '1.10', '-1', '0x1f', '1e3', '~', 'Null', 'true', 'no', '2026-01-31', 'é', '\u00a0', '😀'],
  ...[': ', ':', '\n', '\n  ', '\n    ', '\n- ', '\n  - ', '- ', ' ', ' #', ', ', '[', ']', '{', '}', '? '],
  ...['"', "'", '""', '\\', '|', '>', '%', '@', '`', '---', '\r\n  ', '>-\n  ', '\\n', '.inf', '0o17', '1_0'],
  ...['\n\n', '\n# c\n', 'a: 1\n', 'b:\n  c: x y\n', '[a, b]', '{a: 1}'],
);
const texts = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 12 }).map((parts) => `k: 1\n${parts.join('')}`),
  fc
    .record({ at: fc.nat(usual.length), cut: fc.nat(6), piece: fc.oneof(pieces, fc.constant('')) })
    .map(({ at, cut, piece }) => usual.slice(0, at) + piece + usual.slice(at + cut)),
);

/** The data of the library that explains errors, with keys as they are written. */
function dataOf(node: Node | null): unknown {
  if (isSeq<ParsedNode>(node)) return node.items.map(dataOf);
  if (!isMap<ParsedNode, ParsedNode>(node)) return isScalar(node) ? node.value : null;
  return Object.fromEntries(
    node.items.map(({ key, value }) => [isScalar(key) ? (key.source ?? '') : '', dataOf(value)]),
  );
}

test('YAML has the data of a second library, and an error where that reports one', async () => {
  const property = fc.asyncProperty(texts, async (text) => {
    const { data, problems } = await read(text);
    const [document, ...others] = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' }) as [
      ReturnType<typeof parseAllDocuments>[number],
    ];
    const isValid = document.errors.length + others.length === 0;
    if (!isValid) expect(problems).not.toEqual([]);
    else if (problems.length === 0)
      expect(JSON.stringify(data)).toBe(JSON.stringify(dataOf(document.contents)));
  });
  await fc.assert(property, cases({ fast: 150, soak: 5000 }));
});
