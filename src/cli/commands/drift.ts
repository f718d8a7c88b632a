import { openConnections } from '../../run/connect.ts';
import { readSnapshotFile } from '../../run/files/input-files.ts';
import { loadWorking } from '../../run/load.ts';
import { planOffline, planWorking } from '../../run/plan-roots.ts';
import { defineCommand } from '../command.ts';
import { textFlag } from '../flag.ts';
import { appFlag, changeOutputFlags, planningFlags, policyFlags, rootFiles, rootFlags } from '../flags.ts';
import { reportDrift } from '../report-plans.ts';

export default defineCommand({
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
    const options = { reportScope: true };

    if (file !== undefined) {
      const snapshot = await readSnapshotFile(file, session.io.cwd);
      const loaded = await loadWorking(files, session);
      return reportDrift(await planOffline(loaded, snapshot, session, options), session);
    }
    const loaded = await loadWorking(files, session);
    await using connections = await openConnections(loaded.configurations, session);
    return await reportDrift(await planWorking(loaded, connections, session, options), session);
  },
});
