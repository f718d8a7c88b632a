import { snapshotQueryOf } from '../desired/live-query-of.ts';
import { readLive } from '../live/read-live.ts';
import { takeSnapshot } from '../live/snapshot.ts';
import { AttuneError } from '../model/attune-error.ts';
import { counted } from '../report/counted.ts';
import { jsonText } from '../report/json-text.ts';
import { connect } from './connect.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { writablePath } from './report-files.ts';
import { runSession } from './run-session.ts';
import { loadAll } from './with-plans.ts';
import { writeFile } from './write-file.ts';

export interface SnapshotFlags extends CommonFlags {
  readonly out?: string;
}

/** Records the live state, for plans that are made without a token. */
export function snapshot(roots: readonly string[], flags: SnapshotFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', async (session) => {
    const { out } = flags;
    const path = out === undefined ? undefined : await writablePath('--out', out, io.cwd);
    const [configuration, ...others] = await loadAll(roots, session);
    if (configuration === undefined || others.length > 0) {
      throw new AttuneError('a snapshot is of one organization', {
        code: 'usage',
        hint: 'give one root file at a time',
      });
    }
    const connection = await connect(configuration, { ...session, observe: session.progress.observe });
    try {
      session.progress.begin(`${configuration.desired.organization}: reading`);
      const own = snapshotQueryOf(configuration);
      const query = connection.dialect ? { ...own, dialect: connection.dialect } : own;
      const live = await readLive(connection.client, query);
      session.progress.end();
      const text = jsonText(takeSnapshot(live, query, connection.address));
      if (path === undefined) session.console.result(text);
      else await writeFile(path, text);
      session.console.say(
        `${configuration.desired.organization}: ${counted(live.state.resources.size, 'live resource')} recorded.`,
      );
      return 0;
    } finally {
      session.progress.end();
      await connection.close();
    }
  });
}
