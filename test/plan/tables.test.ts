import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseTable, planText, readTables, updatedTable } from '../support/plan-tables.ts';

const folder = join(import.meta.dirname, 'tables');
const tables = await readTables(folder);
if (process.env.UPDATE_TABLES)
  for (const [file, text] of tables) await writeFile(join(folder, file), await updatedTable(text));
const current = process.env.UPDATE_TABLES ? await readTables(folder) : tables;

describe.each([...current].map(([file, text]) => ({ file, rows: parseTable(text) })))('$file', ({ rows }) => {
  test.each(rows)('the plan of a table row is as written: $name', async (row) => {
    expect(await planText(row)).toBe(row.plan);
  });
});
