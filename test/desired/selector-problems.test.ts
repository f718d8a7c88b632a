import { expect, test } from 'vitest';
import { configurationSchema } from '../../src/desired/schema/language.ts';
import { loadFiles, rootText } from './load-files.ts';

/** Values under each key of a selector that nothing on the service can have, with ^ where they are reported. */
const impossible: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  name: { 'bad-value': ['^app-?', '[a, ^"*.prod"]', '^a b', '[^"*-a b"]'] },
  except: { 'bad-value': ['^app-?', '[a, ^"*.prod"]'] },
  tag: {
    'bad-value': ['^prod-*', '[a, ^prod-?]'],
    'unclear-name': [String.raw`^"a\u200b"`, String.raw`[a, ^"a\u200b"]`],
  },
  project: { 'unclear-name': [String.raw`^"a\u200b"`, String.raw`[a, ^"a\u200b"]`] },
  tagged: { 'bad-value': ['{^"e*": prod}', '{^env: prod-*}', '{a: b, ^env: ""}'] },
};
const scopeKeys = { name: 'names', tag: 'tags', project: 'projects', tagged: 'tagged' } as const;
const places: Readonly<Record<string, (key: string, value: string) => string>> = {
  consumers: (key, value) => `workspaces: {a: {remote-state-consumers: [{${key}: ${value}}]}}`,
  'exact consumers of the defaults': (key, value) =>
    `defaults: {workspace: {remote-state-consumers: {exactly: [{${key}: ${value}}]}}}`,
  'added consumers': (key, value) => `workspaces: {a: {remote-state-consumers: {add: [{${key}: ${value}}]}}}`,
  'removed consumers': (key, value) =>
    `workspaces: {a: {remote-state-consumers: {remove: [{${key}: ${value}}]}}}`,
  when: (key, value) => `templates: {t: {when: {${key}: ${value}}}}`,
  'guards.protect': (key, value) => `guards: {protect: [{${key}: ${value}}]}`,
  freeze: (key, value) =>
    `freeze: [{from: 2026-12-01, to: 2026-12-02, reason: x, select: {${key}: ${value}}}]`,
  scope: (key, value) =>
    `scope: {${scopeKeys[key as keyof typeof scopeKeys]}: ${/[[{]/.test(value) ? value : `[${value}]`}}`,
};
const impossibleCases = Object.keys(places).flatMap((place) =>
  Object.keys(impossible)
    .filter((key) => place !== 'scope' || Object.hasOwn(scopeKeys, key))
    .map((key) => ({ place, key })),
);

test('the table of impossible values has every key of a selector', () => {
  const { $defs } = configurationSchema() as { $defs?: { selector: { properties: object } } };
  expect(Object.keys(impossible).sort()).toEqual(Object.keys($defs?.selector.properties ?? {}).sort());
});

test.each(impossibleCases)(
  'validate reports what "$key" can never match in a selector: $place',
  async ({ place, key }) => {
    for (const [code, values] of Object.entries(impossible[key] ?? {}))
      for (const value of values) {
        const marked = places[place]?.(key, value) ?? '';
        const { diagnostics } = await loadFiles({ 'attune.yaml': rootText(marked.replace('^', '')) });
        const found = diagnostics.map((one) => [one.code, one.location?.line, one.location?.column]);
        expect(found, marked).toEqual([[code, 3, marked.indexOf('^') + 1]]);
      }
  },
);
