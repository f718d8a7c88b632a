import { join } from 'node:path';
import { attune, folderWith } from '../support/attune.ts';
import { compactJson } from '../support/compact-json.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/** Prints what each line of `explain` prints for the files, whose sections have their names. */
testTextTables(join(import.meta.dirname, 'explain'), async ({ sections }: TextRow) => {
  const files = Object.entries(sections).filter(([title]) => title.endsWith('.yaml'));
  const cwd = await folderWith(Object.fromEntries(files));
  const printed = (sections.explain ?? '')
    .trim()
    .split('\n')
    .map(async (line) => {
      const { code, stdout, stderr } = await attune(['explain', ...line.split(' ')], { cwd });
      const shown = stdout.startsWith('{') ? `${compactJson(JSON.parse(stdout))}\n` : stdout;
      return shown + (code === 0 ? stderr : `${stderr}exit code ${code}\n`);
    });
  return (await Promise.all(printed)).join('\n');
});
