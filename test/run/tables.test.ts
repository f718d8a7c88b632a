import { join } from 'node:path';
import { withBases } from '../../src/run/base/with-base.ts';
import { createContext } from '../../src/run/context.ts';
import { loadRoots } from '../../src/run/load.ts';
import { shownFrom } from '../../src/run/report-entry.ts';
import { folderWith } from '../support/attune.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/*
 * `changed-rules`: root files without their first line and, if they are of acme, without the second; those below `base/` are
 * the base. Files below `included/` are not root files. A row results in what a plan reports of the rules.
 */
testTextTables(join(import.meta.dirname, 'tables'), { 'changed-rules': changedRules });

async function changedRules({ sections: { result: _expected, ...sections } }: TextRow): Promise<string> {
  const files = Object.entries(sections).map(([name, text]) => {
    const organization = /^organization:/m.test(text) ? '' : 'organization: acme\n';
    return [name, name.includes('included/') ? text : `attune: 1\n${organization}${text}`] as const;
  });
  const cwd = await folderWith(Object.fromEntries(files));
  const context = createContext({ cwd, base: './base' });
  const roots = Object.keys(sections).filter((name) => !/^base\/|included\//.test(name));
  const loaded = await loadRoots(roots, context);
  const compared = await withBases(loaded.configurations, context);
  const lines = compared.flatMap(({ folder, diagnostics }) =>
    diagnostics.map(({ severity, code, message, location }) => {
      const { file, line, column } = location ?? {};
      const at = file === undefined ? '' : `${shownFrom(cwd, folder)(file)}:${line}:${column} `;
      return `${at}${severity} ${code}: ${message}`;
    }),
  );
  return lines.length > 0 ? lines.join('\n') : 'nothing';
}
