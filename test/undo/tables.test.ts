import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTables } from '../support/plan-tables.ts';
import { parseUndoTable, undoText, updatedUndoTable } from '../support/undo-tables.ts';

const folder = join(import.meta.dirname, 'tables');
const tables = await readTables(folder);
if (process.env.UPDATE_TABLES) {
  for (const [file, text] of tables) await writeFile(join(folder, file), await updatedUndoTable(text));
}
const current = process.env.UPDATE_TABLES ? await readTables(folder) : tables;

describe.each([...current].map(([file, text]) => ({ file, rows: parseUndoTable(text) })))(
  '$file',
  ({ rows }) => {
    test.each(rows)('the undo of a table row is as written: $name', async (row) => {
      expect(await undoText(row)).toBe(row.undo);
    });
  },
);
