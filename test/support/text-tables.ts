import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/** A row of a text table: its sections by title. */
export interface TextRow {
  readonly name: string;
  readonly sections: Readonly<Record<string, string>>;
}

/**
 * Tests each row of the text tables of a folder. A row is a title line that starts with `=== `, followed by sections that
 * start with `--- ` and their title. The text of a section of one line follows its title. The last section is `result`.
 * Sections before the first row are those of all rows that do not have them.
 * `UPDATE_TABLES=1` writes the results.
 *
 * @param resultOf prints what a row results in, of all tables, or by the name of the table without its extension
 */
export function testTextTables(
  folder: string,
  resultOf: Readonly<Record<string, (row: TextRow) => Promise<string>>> | ((row: TextRow) => Promise<string>),
): void {
  for (const file of readdirSync(folder).sort()) {
    const print = typeof resultOf === 'function' ? resultOf : resultOf[file.replace(/\.txt$/, '')];
    const path = join(folder, file);
    const [head = '', ...rows] = readFileSync(path, 'utf8').split(/^=== /m);
    const shared = sectionsOf(head);
    const rowOf = (text: string) => ({
      name: text.split('\n')[0] ?? '',
      sections: { ...shared, ...sectionsOf(text) },
    });
    describe(file, () => {
      if (process.env.UPDATE_TABLES) {
        test(`the results of ${file} are written`, async () => {
          const written = rows.map(async (text) => {
            const result = ((await print?.(rowOf(text))) ?? '').trim();
            const before = text.slice(0, text.search(/^--- result/m));
            return `=== ${before}--- result${result.includes('\n') ? '\n' : ' '}${result}`
              .trimEnd()
              .concat('\n');
          });
          writeFileSync(path, `${head}${(await Promise.all(written)).join('\n')}`);
        });
        return;
      }
      test.each(rows.map(rowOf))(`the result of a row of ${file} is as written: $name`, async (row) => {
        expect((await print?.(row))?.trim()).toBe(row.sections.result?.trim());
      });
    });
  }
}

function sectionsOf(text: string): TextRow['sections'] {
  const [, ...sections] = text.split(/^--- /m);
  const entries = sections.map((section) => {
    const [, title = '', body = ''] = /^(\S+)(?: (?=\S)|\n)?([\s\S]*)$/.exec(section) ?? [];
    return [title, body] as const;
  });
  return Object.fromEntries(entries);
}

/** The YAML of a section: one that has no second key at the beginning of a line is a mapping without its braces. */
export function mappingIn({ sections }: TextRow, title: string): string {
  const text = sections[title]?.trim() ?? '';
  return /\n\S|[:|>]\n/.test(text) ? text : `{${text}}`;
}
