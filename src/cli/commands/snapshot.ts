import { openConnections } from '../../run/connect.ts';
import { writablePath } from '../../run/files/writable-path.ts';
import { loadOne } from '../../run/load.ts';
import { defineCommand } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { appFlag, connectionFlags, documentFlags, rootFiles } from '../flags.ts';
import { recordLive, writeSnapshot } from '../record-live.ts';

export default defineCommand({
  details:
    'Reads everything that a plan of the configuration needs and writes it to a file. A job without a token can then run `attune plan --snapshot FILE` or `attune drift --snapshot FILE`. With a scope in the files, the snapshot contains the workspaces of the scope and those that the files name. A plan that needs other workspaces is refused.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...documentFlags,
    ...connectionFlags,
    out: textFlag('file', 'output file (default: stdout)'),
    everything: switchFlag('also record what is outside the scope of the files'),
  },
  examples: ['attune snapshot --out live.json', 'attune plan --snapshot live.json'],
  learnMore: 'docs/guides/ci.md',
  run: async ({ files }, { out, everything }, session) => {
    const path = out === undefined ? undefined : await writablePath('--out', out, session.io.cwd);
    const configuration = await loadOne(files, session, {
      message: 'snapshot works on one organization, but the files declare several',
      hint: 'record one root file at a time',
    });
    await using connections = await openConnections([configuration], session);
    const recorded = await recordLive(configuration, connections.at(0), {
      ...(everything && { everything }),
      session,
    });
    return await writeSnapshot(recorded, path, session);
  },
});
