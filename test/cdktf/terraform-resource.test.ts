import fc from 'fast-check';
import { expect, test } from 'vitest';
import { idReference, resourceNames, toTemplate } from '../../src/cdktf/terraform-document.ts';
import { cases } from '../support/cases.ts';

test.each([
  ['plain, 5% of $3', 'plain, 5% of $3'],
  [`\${var.x}`, `$\${var.x}`],
  ['%{if x}', '%%{if x}'],
  [`$\${kept}`, `$$\${kept}`],
  [`$\${a} %%{b} \${`, `$$\${a} %%%{b} $\${`],
])('the text %s is written to Terraform JSON as %s', (text, written) => {
  expect(toTemplate(text)).toBe(written);
});

test('any text is written to Terraform JSON without an expression, and is read back unchanged', () => {
  const texts = fc
    .array(fc.constantFrom('$', '%', '{', '}', 'a', '"', '\\', '\n'))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      const written = String(toTemplate(text));
      // Terraform reads a doubled sign before a brace as one, and a single one as the start of an expression.
      expect(written.replaceAll(/([$%])\1\{/g, '_')).not.toMatch(/[$%]\{/);
      expect(written.replaceAll(/([$%])\1\{/g, '$1{')).toBe(text);
    }),
    cases({ fast: 1000, soak: 1000 }),
  );
});

test('a reference is an expression in Terraform JSON, and texts beside it are not', () => {
  expect(toTemplate({ ids: [idReference('tfe_workspace', 'app'), `\${x}`], on: true })).toEqual({
    ids: [`\${tfe_workspace.app.id}`, `$\${x}`],
    on: true,
  });
});

const given = (list: readonly string[]) => {
  const nameOf = resourceNames(list);
  return Object.fromEntries(list.map((name) => [name, nameOf(name)]));
};

test('a resource name that is an identifier is kept, other names become identifiers, and no two are equal', () => {
  expect(given(['1st', '_1st', 'a b', 'a_b', 'a/b', '-x', 'Ünïcode', 'app-prod'])).toEqual({
    '-x': '_-x',
    '1st': '_1st_2',
    _1st: '_1st',
    'a b': 'a_b_2',
    'a/b': 'a_b_3',
    a_b: 'a_b',
    'app-prod': 'app-prod',
    Ünïcode: '_n_code',
  });
});

test('resource names are unique identifiers, in any order of the names', () => {
  const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'B', '1', '-', '_', '/', ' ', '2') }));
  fc.assert(
    fc.property(names, (list) => {
      const identifiers = Object.values(given(list));
      expect(identifiers.filter((name) => !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name))).toEqual([]);
      expect(new Set(identifiers).size).toBe(list.length);
      expect(given([...list].reverse())).toEqual(given(list));
    }),
    cases({ fast: 100, soak: 100 }),
  );
});
