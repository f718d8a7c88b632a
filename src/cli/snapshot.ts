import { readLive } from '../live/read-live.ts';
import { type NamedId, readNames } from '../live/read-names.ts';
import { takeSnapshot } from '../live/snapshot.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { AttuneError } from '../model/attune-error.ts';
import { counted } from '../model/text.ts';
import { snapshotQueryOf } from '../plan/live-query-of.ts';
import { lookUpNames } from '../plan/look-up-names.ts';
import { jsonText } from '../report/json-text.ts';
import { writablePath } from './files/report-files.ts';
import { writeFile } from './files/write-file.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { withConnection } from './organizations/with-connection.ts';
import { loadAll } from './organizations/with-plans.ts';
import { runSession } from './session/run-session.ts';

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
    return withConnection(configuration, session, async (connection) => {
      session.progress.begin(`${configuration.desired.organization}: reading`);
      const lookUps = new Map<AliasKind, readonly NamedId[]>();
      const named = await lookUpNames(
        configuration,
        async (kind) => {
          const found = await readNames(connection.client, configuration.desired.organization, kind);
          lookUps.set(kind, found);
          return found;
        },
        { reportScope: true },
      );
      const own = snapshotQueryOf(named);
      const query = connection.dialect ? { ...own, dialect: connection.dialect } : own;
      const live = await readLive(connection.client, query);
      session.progress.end();
      const taken = takeSnapshot(live, query, { address: connection.address, lookUps });
      if (path === undefined) session.console.result(jsonText(taken));
      else await writeFile(path, jsonText(taken));
      session.console.say(
        `${configuration.desired.organization}: ${counted(live.state.resources.size, 'live resource')} recorded.`,
      );
      return 0;
    });
  });
}
