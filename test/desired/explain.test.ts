import { join } from 'node:path';
import { attune, folderWith } from '../support/attune.ts';
import { compactJson } from '../support/compact-json.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/** Prints what each line of `explain` prints for the files, whose sections have their names, on 16 December 2026. */
testTextTables(join(import.meta.dirname, 'explain'), async ({ sections }: TextRow) => {
  const files = Object.entries(sections).filter(([title]) => title.endsWith('.yaml'));
  const cwd = await folderWith(Object.fromEntries(files));
  const date = () => new Date('2026-12-16T00:00:00Z');
  const printed = (sections.explain ?? '')
    .trim()
    .split('\n')
    .map(async (line) => {
      const { code, stdout, stderr } = await attune(['explain', ...line.split(' ')], { cwd, date });
      const shown = stdout.startsWith('{') ? `${compactJson(JSON.parse(stdout))}\n` : stdout;
      return shown + (code === 0 ? stderr : `${stderr}exit code ${code}\n`);
    });
  return (await Promise.all(printed)).join('\n');
});
