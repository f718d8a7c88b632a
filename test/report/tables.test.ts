import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTables } from '../support/plan-tables.ts';
import { parseReports, renderedAs, updatedReports } from '../support/report-tables.ts';

const folder = join(import.meta.dirname, 'tables');
if (process.env.UPDATE_TABLES) {
  for (const [file, text] of await readTables(folder))
    await writeFile(join(folder, file), await updatedReports(text));
}

describe.each([...(await readTables(folder))].map(([file, text]) => ({ file, rows: parseReports(text) })))(
  '$file',
  ({ rows }) => {
    test.each(rows)('the report of a table row is as written: $name', async ({ report, expected }) => {
      const formats = Object.keys(expected);
      const rendered = await Promise.all(
        formats.map(async (format) => [format, await renderedAs(format, report)]),
      );
      expect(Object.fromEntries(rendered)).toEqual(expected);
    });
  },
);
