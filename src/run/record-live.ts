import { readMoveAccess } from '../access/read-effects.ts';
import { readPolicyNames } from '../check/policy-identity.ts';
import { diff } from '../diff/diff.ts';
import { readLive, remember, serviceSource } from '../live/read-live.ts';
import type { NamedId } from '../live/read-names.ts';
import { type Snapshot, takeSnapshot } from '../live/snapshot.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import { snapshotQueryOf } from '../resolve/live-query-of.ts';
import { lookUpNames } from '../resolve/look-up-names.ts';
import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { loadOne } from './load.ts';

export async function recordLive(
  files: readonly string[],
  { everything = false }: { readonly everything?: boolean | undefined },
  context: RunContext,
): Promise<Snapshot> {
  const configuration = await loadOne(files, context, 'snapshot');
  await using connections = await openConnections([configuration], context);
  const { client, address } = connections.at(0);
  const { organization } = configuration.desired;
  context.progress.begin(`${organization}: reading`);
  // A second read asks for other documents of the workspaces, and for nothing else again.
  const reader = remember(client, (path) => !path.endsWith('/workspaces'));
  const source = serviceSource(reader);
  const lookUps = new Map<AliasKind, readonly NamedId[]>();
  const names = async (_organization: string, kind: AliasKind) => {
    const found = await source.names(organization, kind);
    lookUps.set(kind, found);
    return found;
  };
  const named = await lookUpNames(configuration, (kind) => names(organization, kind), {
    purpose: 'drift',
    also: ['keep-admin'],
  });
  await readPolicyNames(configuration, { names });
  const { dialect = client.capabilities.dialect() } = named.service;
  const first = snapshotQueryOf(named, { everything, dialect });
  const read = await readLive(reader, first);
  // Only the documents of the first read show the dialect of some services.
  const isNews = read.dialect === 'terraform' && first.bindings !== true;
  const query = isNews ? snapshotQueryOf(named, { everything, dialect: read.dialect }) : first;
  const needed = isNews ? await readLive(reader, query) : read;
  // A later plan needs the team access of the projects that workspaces move between.
  const { changes } = diff(named, needed);
  const live = await readMoveAccess(source, needed, { query, changes, shown: (_kind, id) => id });
  context.progress.end();
  const snapshot = takeSnapshot(live, query, address, lookUps);
  return snapshot;
}
