import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { attributePaths, projectPaths } from '../../src/model/attributes.ts';
import { permissionPaths } from '../../src/model/permissions.ts';
import { isRecord } from '../../src/model/value.ts';
import { type PlanCase, parseTable, readTables } from '../support/plan-tables.ts';

const tables = await readTables(join(import.meta.dirname, 'tables'));
const rows = [...tables.values()].flatMap(parseTable);

test('no two rows of the plan tables have the same title', () => {
  const titles = rows.map(({ name }) => name);
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
});

/** What the rows declare of each resource, with the part of the plan that is about it; without plans that have errors or only diagnostics. */
const declarations = rows
  .filter(({ plan }) => /^([+~-]|no changes)/.test(plan))
  .flatMap((row) => declaredIn(row).map(([address, values]) => ({ values, change: changeOf(row, address) })));

test.each([...new Set([...attributePaths, ...projectPaths, ...permissionPaths])])(
  'the plan tables have a change and no change of %s',
  (path) => {
    const [outer = '', inner] = path.split('.');
    const declaring = declarations.filter(({ values }) => {
      const value = values[outer];
      return inner === undefined ? value !== undefined : isRecord(value) && value[inner] !== undefined;
    });
    const changing = declaring.filter(({ change }) => change.includes(` ${path}: `));
    expect(declaring.length - changing.length, 'declarations without a change').toBeGreaterThan(0);
    expect(changing.length, 'declarations with a change').toBeGreaterThan(0);
  },
);

function declaredIn({
  desired,
}: PlanCase): (readonly [address: string, values: Readonly<Record<string, unknown>>])[] {
  return desired.split(/^---$/m).flatMap((text) => {
    const root: unknown = parse(text, { uniqueKeys: false, logLevel: 'silent' });
    const { workspaces, projects, 'team-access': access } = isRecord(root) ? root : {};
    const of = (kind: string, values: unknown) =>
      Object.entries(isRecord(values) ? values : {}).flatMap(([name, value]) =>
        isRecord(value) ? [[`${kind}.${name}`, value] as const] : [],
      );
    const grants = of('team-access', access).flatMap(([project, teams]) =>
      Object.entries(teams).flatMap(([team, value]) =>
        isRecord(value) ? [[`${project}/${team}`, value] as const] : [],
      ),
    );
    return [...of('workspace', workspaces), ...of('project', projects), ...grants];
  });
}

/** The lines of a change, or nothing. */
function changeOf({ plan }: PlanCase, address: string): string {
  const lines = plan.split('\n');
  const from = lines.findIndex((line) => /^[+~-] /.test(line) && line.slice(2).split(' ')[0] === address);
  if (from < 0) return '';
  const length = lines.slice(from + 1).findIndex((line) => !line.startsWith('    '));
  return lines.slice(from, length < 0 ? undefined : from + 1 + length).join('\n');
}
