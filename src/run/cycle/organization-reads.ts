import { createRollingReads, type RollingReads } from '../../live/detail-reads.ts';
import { type LiveSource, rollingSource, serviceSource } from '../../live/live-source.ts';
import type { PlannedChange } from '../../model/plan.ts';
import type { ResourceKind } from '../../model/state.ts';
import type { Connection } from '../connect.ts';

export type OrganizationReads = ReturnType<typeof createOrganizationReads>;

/** @param maxAge in milliseconds; without it, nothing is kept */
export function createOrganizationReads(maxAge: number | undefined, now: () => number) {
  /** By service, token and data, of which one organization can have several in different files. */
  const rolling = new Map<string, RollingReads>();
  let sources = new Map<string, LiveSource>();
  const each = (run: (reads: RollingReads) => void) => {
    for (const reads of rolling.values()) run(reads);
  };
  const sourceOf = ({ identity, client }: Connection): LiveSource => {
    if (maxAge === undefined) return serviceSource(client);
    const known = rolling.get(identity);
    const reads = known ?? createRollingReads({ maxAge, now });
    if (!known) reads.begin();
    rolling.set(identity, reads);
    return rollingSource(client, reads);
  };
  return {
    begin(): void {
      sources = new Map();
      each((reads) => reads.begin());
    },
    source(connection: Connection): LiveSource {
      const source = sources.get(connection.identity) ?? sourceOf(connection);
      sources.set(connection.identity, source);
      return source;
    },
    /** Whether one of these changes follows from a value that an earlier cycle has read; these values are dropped. */
    recheck(changes: readonly PlannedChange[]): boolean {
      const ids = changes.flatMap((change) => idsOf(change));
      return [...rolling.values()].filter((reads) => reads.recheck(ids)).length > 0;
    },
    /** Whether the cycle has used any value that an earlier cycle has read; all of them are dropped. */
    recheckAll: (): boolean => [...rolling.values()].filter((reads) => reads.recheckAll()).length > 0,
    /** Drops the values of changes that were attempted, or are left: the next cycle would have to read them again. */
    drop(changes: readonly PlannedChange[]): void {
      const ids = changes.flatMap((change) => idsOf(change));
      const renamed = changes.filter(
        ({ action, fields }) => action === 'delete' || fields.some(({ path }) => path === 'name'),
      );
      each((reads) => {
        reads.written(ids);
        reads.gone(renamed.flatMap(({ id }) => id ?? []));
      });
    },
    end: (): void => each((reads) => reads.end()),
  };
}

const keyed: { readonly [Kind in ResourceKind]: (change: PlannedChange) => unknown } = {
  project: ({ id }) => id,
  workspace: ({ id }) => id,
  'team-access': ({ facts }) => facts?.project,
};

function idsOf(change: PlannedChange): string[] {
  const id = keyed[change.kind](change);
  return typeof id === 'string' ? [id] : [];
}
