import { compareRoots } from '../../run/compare-roots.ts';
import { writablePath } from '../../run/files/write-file.ts';
import { defineCommand } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { clockFlags, comparisonFlags, dueFlag, planningFlags, rootFiles, snapshotFlag } from '../flags.ts';
import { reportPlans } from '../report-plans.ts';

export default defineCommand({
  details:
    'Reads the live state, compares it with the configuration and prints the changes in the order in which apply makes them. Planning never writes to the service. A plan that was saved with --out shows exactly the calls that apply sends.',
  arguments: rootFiles,
  flags: {
    ...comparisonFlags,
    ...planningFlags,
    ...dueFlag,
    ...clockFlags,
    out: textFlag('file', 'save the plan to a file for `attune apply --plan` and `attune show`'),
    ...snapshotFlag,
    detailedExitcode: switchFlag('exit with 2 if there are changes'),
  },
  conflicts: [['out', 'due', 'run `attune apply --due`: it plans what is due then']],
  examples: [
    'attune plan',
    'attune plan --out plan.json --report plan.md',
    'attune plan --only "workspace.*-prod" --detailed-exitcode',
    'attune plan --base origin/main',
  ],
  learnMore: 'docs/configuration.md',
  report: 'plan',
  run: async ({ files }, { out, snapshot, detailedExitcode }, session) => {
    if (out !== undefined) await writablePath('--out', out, session.io.cwd);
    const purpose = out === undefined ? 'apply' : 'review';
    const compared = await compareRoots(files, session, { purpose, snapshot });
    const command = ['attune', 'apply'];
    return await reportPlans(compared, session, { out, detailedExitcode, roots: files, command });
  },
});
