import { defineCommand } from '../command.ts';
import { textFlag } from '../flag.ts';
import { appFlag, connectionFlags, documentFlags, rootFiles } from '../flags.ts';

export const snapshot = defineCommand({
  name: 'snapshot',
  description: 'record the live state, for plans without a token',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...documentFlags,
    ...connectionFlags,
    out: textFlag('file', 'where to (default: stdout)'),
  },
  examples: ['attune snapshot --out live.json', 'attune plan --snapshot live.json'],
  run: async ({ files }, { out }, session) => {
    const { writablePath } = await import('../files/output-files.ts');
    const { openConnections } = await import('../organizations/connect.ts');
    const { loadOne } = await import('../organizations/load.ts');
    const { recordLive, writeSnapshot } = await import('../record-live.ts');

    const path = out === undefined ? undefined : await writablePath('--out', out, session.io.cwd);
    const configuration = await loadOne(files, session, {
      message: 'a snapshot is of one organization',
      hint: 'give one root file at a time',
    });
    await using connections = await openConnections([configuration], session);
    const recorded = await recordLive(configuration, connections.at(0), session);
    return await writeSnapshot(recorded, path, session);
  },
});
