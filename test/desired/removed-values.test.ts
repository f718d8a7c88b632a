import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasErrors } from '../../src/model/diagnostic.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { cases } from '../support/cases.ts';
import { loadFiles } from './load-files.ts';
import {
  everyKey,
  type Mark,
  otherTypes,
  type Path,
  partOf,
  pathsIn,
  withValue,
  yamlOf,
} from './typed-mutations.ts';

test('wrong values that anchors, aliases and merge keys share are errors at their places, and never an exception', async () => {
  const document = { 'not-a-key': 1, ...everyKey };
  const places = pathsIn(document).filter(([key]) => key !== undefined && key !== 'include');
  const place = fc.nat(places.length - 1);
  const members = [
    ...['<<: [*t, *t]', '<<: 5', '<<: []', '<<: [{tags: [1]}, {tags: 5}]', '"<<": {a: 1}'],
    ...['<<: {__proto__: {a: 1}, constructor: 1}', '__proto__: {a: 1}', 'constructor: x', 'toString: {}'],
    ...['1: 2', '~: x', '"": x', 'true: {}', '.nan: 1', 'a/b: {}', 'length: 3', '? [a] : b', '? {a: 1} : {}'],
    ...['&k k: *k', 'k: b, k: c', `${'k'.repeat(5000)}: {}`],
  ];
  const values = [
    ...['~', '.nan', '-0', '[~, ~]', '[[[[]]]]', '"\\u0000"', '__proto__', '[a: b]'],
    ...members.map((member) => `{${member}}`),
  ];
  const shared = fc.constantFrom({ instead: '*t' }, { instead: '*t' }, { member: '<<: *t' });
  const odd = fc.oneof(
    fc.constantFrom(...values).map((instead) => ({ instead })),
    fc.constantFrom(...members).map((member) => ({ member })),
  );
  const sharing = fc.record({
    places: fc.array(place, { minLength: 2, maxLength: 4 }),
    isSameKey: fc.boolean(),
    value: fc.option(fc.constantFrom(...otherTypes, ...otherTypes.filter(Array.isArray)), { freq: 8 }),
    texts: fc.array(fc.oneof({ arbitrary: shared, weight: 4 }, { arbitrary: odd, weight: 1 }), {
      minLength: 3,
      maxLength: 3,
    }),
  });
  const property = fc.asyncProperty(sharing, async ({ places: chosen, isSameKey, value, texts }) => {
    const [first = 0, ...others] = chosen.toSorted((one, other) => one - other);
    const anchor = places[first] ?? [];
    const same = places.slice(first + 1).filter((path) => path.at(-1) === anchor.at(-1));
    const paths = others.map((at): Path => (isSameKey && same[at % same.length]) || (places[at] ?? []));
    const marks = paths.map((path, index): Mark => ({ path, ...texts[index] }));
    const data = partOf(document, [['not-a-key'], ['attune'], ['organization'], anchor, ...paths]);
    const text = yamlOf(value === null ? data : withValue(data, anchor, value), [
      { path: anchor, before: '&t ' },
      ...marks,
    ]);
    const { diagnostics, configurations } = await loadFiles({ 'attune.yaml': text, 'seed.yaml': '' });
    expect(configurations.length).toBe(hasErrors(diagnostics) ? 0 : 1);
    expect(renderDiagnostics(diagnostics)).not.toMatch(/undefined|\[object/);
    expect(diagnostics.filter(({ severity, location }) => severity === 'error' && !location)).toEqual([]);
    for (const { location } of diagnostics)
      expect(Math.min(location?.line ?? 0, location?.column ?? 0)).toBeGreaterThan(0);
    // A file that is YAML keeps its other problems.
    const codes = diagnostics.map(({ code, message }) => (message.includes('not-a-key') ? 'known' : code));
    expect(codes.filter((code) => code === 'known' || code === 'yaml-syntax')).not.toEqual([]);
  });
  await fc.assert(property, cases({ fast: 30, soak: 10_000 }));
});
