import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attributePaths, projectPaths } from '../../src/model/attributes.ts';
import { permissionPaths } from '../../src/model/permissions.ts';
import { parseTable, readTables } from '../support/plan-tables.ts';

const tables = await readTables(join(import.meta.dirname, 'tables'));
const rows = [...tables.values()].flatMap(parseTable);
const isUnchanged = ({ plan }: { readonly plan: string }) => plan.startsWith('no changes');

test('the plan tables have at least half as many rows without a change as rows with one', () => {
  // A row about holds or causes needs a change that has them.
  const compared = [...tables].flatMap(([file, text]) =>
    /^(base|holds)\.txt$/.test(file) ? [] : parseTable(text),
  );
  const changing = compared.filter(({ plan }) => /^[+~-] /m.test(plan)).length;
  expect(rows.filter(isUnchanged).length).toBeGreaterThanOrEqual(changing / 2);
});

test('no two rows of the plan tables have the same title', () => {
  const titles = rows.map(({ name }) => name);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

test.each([...new Set([...attributePaths, ...projectPaths, ...permissionPaths])])(
  'the plan tables have a change and no change of %s',
  (path) => {
    const [outer = '', inner] = path.split('.');
    const declares = new RegExp(
      inner === undefined
        ? `\\b${outer}:`
        : `\\b${outer}: *\\{[^}]*\\b${inner}:|\\b${outer}:\\n(?: +[a-z-]+:.*\\n)*? +${inner}:`,
    );
    const declaring = rows.filter(({ desired }) => declares.test(desired));
    expect(declaring.filter(isUnchanged).length, 'rows without a change').toBeGreaterThan(0);
    expect(
      declaring.filter(({ plan }) => plan.includes(` ${path}: `) || plan.includes(` vcs-repo: `)).length,
      'rows with a change',
    ).toBeGreaterThan(0);
  },
);
