import { hasErrors } from '../../model/diagnostic.ts';
import { counted } from '../../model/text.ts';
import { type ValidatedOrganization, validateFiles } from '../../run/load.ts';
import { defineCommand } from '../command.ts';
import { emit } from '../emit.ts';
import { hidden } from '../flag.ts';
import { appFlag, outputFlags, planningFlags, policyFlags, rootFiles, rootFlags } from '../flags.ts';

export default defineCommand({
  details:
    'Reports every error in the configuration with its file, line and column. Sends no request and needs no token.',
  arguments: rootFiles,
  flags: { ...rootFlags, ...appFlag, ...policyFlags, ...outputFlags, ...hidden(planningFlags) },
  examples: ['attune validate', 'attune validate --format json -- environments/*'],
  learnMore: 'docs/configuration.md',
  report: 'validate',
  run: async ({ files }, _flags, session) => {
    const { entries, organizations } = await validateFiles(files, session);
    // These diagnostics are the result, so they go to stdout.
    await emit(session, { kind: 'validate', entries });
    for (const one of organizations) session.console.inform(summaryOf(one));
    return entries.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0;
  },
});

function summaryOf({ organization, resources, lookUps }: ValidatedOrganization): string {
  const open = lookUps > 0 ? ` Only a plan can check ${counted(lookUps, 'name')} of the service.` : '';
  return `${organization}: ${counted(resources, 'declared resource')}, no errors.${open}`;
}
