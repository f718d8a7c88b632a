import { loadRoots } from '../../run/load.ts';
import { defineCommand } from '../command.ts';
import { hidden } from '../flag.ts';
import { appFlag, outputFlags, planningFlags, policyFlags, rootFiles, rootFlags } from '../flags.ts';
import { reportChecked } from '../report-checked.ts';

export default defineCommand({
  details:
    'Reports every error in the configuration with its file, line and column. Sends no request and needs no token.',
  arguments: rootFiles,
  flags: { ...rootFlags, ...appFlag, ...policyFlags, ...outputFlags, ...hidden(planningFlags) },
  examples: ['attune validate', 'attune validate --format json -- environments/*'],
  learnMore: 'docs/configuration.md',
  report: 'validate',
  run: async ({ files }, _flags, session) => {
    return reportChecked(await loadRoots(files, session), session);
  },
});
