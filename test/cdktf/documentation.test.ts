import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attributePlaces, type Place, permissionPlace, relationPlaces } from '../../src/cdktf/places.ts';
import { attributePaths, workspaceRelations } from '../../src/model/attributes.ts';
import { permissionPaths } from '../../src/model/permissions.ts';

const page = join(import.meta.dirname, '..', '..', 'docs', 'from-terraform.md');

test('the tables of docs/from-terraform.md are those of the mapping', () => {
  const text = readFileSync(page, 'utf8');
  const current = withTable(withTable(text, 'workspace', workspaceRows()), 'permission', permissionRows());
  if (process.env.UPDATE_DOCS) writeFileSync(page, current);
  expect(readFileSync(page, 'utf8')).toBe(current);
});

/** Replaces the rows of the table whose first column is headed so. */
function withTable(text: string, heading: string, rows: readonly string[]): string {
  return text.replace(
    new RegExp(`(\\| ${heading} \\|.*\\n\\|[-|]+\\|\\n)(?:\\|.*\\n)*`),
    (_all, head: string) => `${head}${rows.join('\n')}\n`,
  );
}

function workspaceRows(): string[] {
  return [
    row('(its key)', '`tfe_workspace.name`', 'required'),
    ...attributePaths.map((path) => {
      const isFlag = path.startsWith('setting-overwrites.');
      return rowOf(path, attributePlaces[path], isFlag ? 'follows the mode' : undefined);
    }),
    ...workspaceRelations.map((path) => rowOf(path, relationPlaces[path])),
  ];
}

function rowOf(path: string, place: Place | undefined, leftOut?: string): string {
  if (place === undefined) return row(`\`${path}\``, 'nothing', '');
  const { resource, argument } = place;
  const whole = path === 'data-retention' ? `\`${resource}\`` : `\`${resource}.${argument}\``;
  const told = typeof place.leftOut === 'boolean' ? `set to \`${place.leftOut}\`` : place.leftOut;
  return row(`\`${path}\``, whole, path === 'data-retention' ? 'not managed' : (leftOut ?? told));
}

function permissionRows(): string[] {
  return permissionPaths.map((path) =>
    row(`\`${path}\``, `\`tfe_team_project_access.${permissionPlace(path).join('.')}\``),
  );
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`.replaceAll(/ +\|/g, ' |');
}
