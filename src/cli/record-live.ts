import type { Configuration } from '../desired/configuration.ts';
import { readLive } from '../live/read-live.ts';
import { type NamedId, readNames } from '../live/read-names.ts';
import { type Snapshot, takeSnapshot } from '../live/snapshot.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { counted } from '../model/text.ts';
import { snapshotQueryOf } from '../plan/live-query-of.ts';
import { lookUpNames } from '../plan/look-up-names.ts';
import { jsonText } from '../report/json-text.ts';
import type { Connection } from '../run/connect.ts';
import { writeFile } from '../run/files/write-file.ts';
import type { Session } from './session.ts';

/** Reads what plans of a configuration need, for `--snapshot`: its scope, or the whole organization. */
export async function recordLive(
  configuration: Configuration,
  { client, address, dialect }: Connection,
  { everything = false, session: { progress } }: { readonly everything?: boolean; readonly session: Session },
): Promise<Snapshot> {
  const { organization } = configuration.desired;
  progress.begin(`${organization}: reading`);
  const lookUps = new Map<AliasKind, readonly NamedId[]>();
  const named = await lookUpNames(
    configuration,
    async (kind) => {
      const found = await readNames(client, organization, kind);
      lookUps.set(kind, found);
      return found;
    },
    { reportScope: true, isWhole: true },
  );
  const own = snapshotQueryOf(named, { everything });
  const query = dialect ? { ...own, dialect } : own;
  const live = await readLive(client, query);
  progress.end();
  return takeSnapshot(live, query, { address, lookUps });
}

/**
 * Writes a snapshot to a file, or to stdout.
 *
 * @returns the exit code
 */
export async function writeSnapshot(
  snapshot: Snapshot,
  path: string | undefined,
  { console }: Session,
): Promise<number> {
  const text = jsonText(snapshot);
  if (path === undefined) console.result(text);
  else await writeFile(path, text);
  console.inform(
    `${snapshot.organization}: ${counted(snapshot.resources.length, 'live resource')} recorded.`,
  );
  return 0;
}
