import { defineCommand } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { appFlag, changeOutputFlags, planningFlags, policyFlags, rootFiles, rootFlags } from '../flags.ts';

export const plan = defineCommand({
  name: 'plan',
  description: 'show the changes that apply would make',
  details:
    'Reads the live state, compares it with the configuration and prints the changes in the order in which apply makes them. Planning never writes to the service. A plan that was saved with --out shows exactly the calls that apply sends.',
  arguments: rootFiles,
  flags: {
    ...rootFlags,
    ...appFlag,
    ...policyFlags,
    ...changeOutputFlags,
    ...planningFlags,
    out: textFlag('file', 'save the plan to a file for `attune apply --plan` and `attune show`'),
    snapshot: textFlag(
      'file',
      'use the live state in this file, written by `attune snapshot`, instead of the service',
    ),
    detailedExitcode: switchFlag('exit with 2 if there are changes'),
  },
  examples: [
    'attune plan',
    'attune plan --out plan.json --report plan.md',
    'attune plan --only "workspace.*-prod" --detailed-exitcode',
    'attune plan --app "node dist/main.js"',
  ],
  learnMore: 'docs/configuration.md',
  report: 'plan',
  run: async ({ files }, { out, snapshot: file, detailedExitcode }, session) => {
    const { writablePath } = await import('../files/output-files.ts');
    const { loadWorking } = await import('../organizations/load.ts');
    const { planOffline, planWorking } = await import('../organizations/plan-roots.ts');
    const { reportPlans } = await import('../report-plans.ts');
    const { cwd } = session.io;
    const reporting = { out, detailedExitcode, roots: files, command: ['attune', 'apply'] };

    if (out !== undefined) await writablePath('--out', out, cwd);
    if (file !== undefined) {
      const { readSnapshotFile } = await import('../files/input-files.ts');
      const snapshot = await readSnapshotFile(file, cwd);
      const loaded = await loadWorking(files, session);
      return reportPlans(await planOffline(loaded, snapshot, session), session, reporting);
    }
    const { openConnections } = await import('../organizations/connect.ts');
    const loaded = await loadWorking(files, session);
    await using connections = await openConnections(loaded.configurations, session);
    const planned = await planWorking(loaded, connections, session);
    return await reportPlans(planned, session, reporting);
  },
});
