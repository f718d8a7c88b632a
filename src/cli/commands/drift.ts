import { defineCommand } from '../command.ts';
import { textFlag } from '../flag.ts';
import { appFlag, outputFlags, planningFlags, rootFiles } from '../flags.ts';

export const drift = defineCommand({
  name: 'drift',
  description: 'report what is live and not as declared; exit 2 where there is any',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...outputFlags,
    ...planningFlags,
    snapshot: textFlag('file', 'compare with what `attune snapshot` recorded'),
  },
  examples: ['attune drift', 'attune drift --format json > drift.json'],
  report: 'drift',
  run: async ({ files }, { snapshot: file }, session) => {
    const { loadConfigurations } = await import('../organizations/load.ts');
    const { planOffline, planRoots } = await import('../organizations/plan-roots.ts');
    const { reportDrift } = await import('../report-plans.ts');
    const options = { reportScope: true };

    if (file !== undefined) {
      const { readSnapshotFile } = await import('../files/input-files.ts');
      const snapshot = await readSnapshotFile(file, session.io.cwd);
      const configurations = await loadConfigurations(files, session);
      return reportDrift(await planOffline(configurations, snapshot, session, options), session);
    }
    const { openConnections } = await import('../organizations/connect.ts');
    const configurations = await loadConfigurations(files, session);
    await using connections = await openConnections(configurations, session);
    return await reportDrift(await planRoots(configurations, connections, session, options), session);
  },
});
