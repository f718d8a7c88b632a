import { defineCommand } from '../command.ts';
import { textFlag } from '../flag.ts';
import { appFlag, changeOutputFlags, planningFlags, policyFlags, rootFiles, rootFlags } from '../flags.ts';

export const drift = defineCommand({
  name: 'drift',
  description: 'detect drift from the configuration; exits with 2 if there is any',
  details:
    'Compares the live state with the configuration and reports the differences. If the configuration has a scope, live workspaces in scope that are not declared are reported, too. Never writes to the service.',
  arguments: rootFiles,
  flags: {
    ...rootFlags,
    ...appFlag,
    ...policyFlags,
    ...changeOutputFlags,
    ...planningFlags,
    snapshot: textFlag(
      'file',
      'use the live state in this file, written by `attune snapshot`, instead of the service',
    ),
  },
  examples: ['attune drift', 'attune drift --format json > drift.json'],
  learnMore: 'docs/guides/ci.md',
  report: 'drift',
  run: async ({ files }, { snapshot: file }, session) => {
    const { loadWorking } = await import('../organizations/load.ts');
    const { planOffline, planWorking } = await import('../organizations/plan-roots.ts');
    const { reportDrift } = await import('../report-plans.ts');
    const options = { reportScope: true };

    if (file !== undefined) {
      const { readSnapshotFile } = await import('../files/input-files.ts');
      const snapshot = await readSnapshotFile(file, session.io.cwd);
      const loaded = await loadWorking(files, session);
      return reportDrift(await planOffline(loaded, snapshot, session, options), session);
    }
    const { openConnections } = await import('../organizations/connect.ts');
    const loaded = await loadWorking(files, session);
    await using connections = await openConnections(loaded.configurations, session);
    return await reportDrift(await planWorking(loaded, connections, session, options), session);
  },
});
