import { hasErrors } from '../../model/diagnostic.ts';
import { counted, quote } from '../../model/text.ts';
import { alignedRows } from '../../report/paint.ts';
import { placeText } from '../../report/words.ts';
import { validateFiles } from '../../run/load.ts';
import { defineCommand, rootFiles } from '../command.ts';
import { emit } from '../emit.ts';
import { appFlag, ignoredFlags, outputFlags, policyFlags, rootFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Reports every error in the configuration with its file, line and column, and lists the names that only a plan can check. Sends no request and needs no token.',
  arguments: rootFiles,
  flags: { ...rootFlags, ...appFlag, ...policyFlags, ...outputFlags, ...ignoredFlags },
  examples: ['attune validate', 'attune validate --format json -- environments/*'],
  learnMore: 'docs/configuration.md',
  report: 'validate',
  run: async ({ files }, _flags, session) => {
    const { console } = session;
    const { entries, organizations } = await validateFiles(files, session);
    // These diagnostics are the result, so they go to stdout.
    await emit(session, { kind: 'validate', entries });
    for (const { organization, resources, open } of organizations) {
      const declared = `${organization}: ${counted(resources, 'declared resource')}, no errors.`;
      const names = counted(open.length, 'name');
      const more = open.length > 0 ? ` Only a plan can check ${names} of the service:` : '';
      console.inform(declared + more);
      const rows = open.map(({ noun, name, location, near }) => [
        `  ${noun} ${quote(name)}`,
        location ? placeText(location) : '',
        near === undefined ? '' : `did you mean ${quote(near)}?`,
      ]);
      for (const row of alignedRows(rows)) console.inform(row);
    }
    return entries.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0;
  },
});
