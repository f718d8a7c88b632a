import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import type { Deletion } from './match-workspaces.ts';

/** What a delete by force passes over without asking: resources that the state manages, and a lock. */
export function forcedDeletes(deletions: Iterable<Deletion>): Diagnostic[] {
  return [...deletions]
    .filter(({ mode }) => mode === 'force')
    .sort((a, b) => (a.live.address < b.live.address ? -1 : 1))
    .flatMap(({ live, desired }): Diagnostic[] => {
      const reasons = [managed(live), locked(live, desired)].filter((reason) => reason !== undefined);
      if (reasons.length === 0) return [];
      return [
        {
          severity: 'warning',
          code: 'forced-delete',
          message: `${live.address} is deleted by force: ${reasons.join(', and ')}`,
          address: live.address,
          ...(desired?.location && { location: desired.location }),
          hint: desired
            ? 'write `delete: safe` to keep it while it manages resources'
            : 'set prune.workspaces to `safe` to keep workspaces that manage resources',
        },
      ];
    });
}

function managed({ attributes }: Resource): string | undefined {
  const count = attributes['resource-count'];
  if (typeof count !== 'number' || count === 0) return undefined;
  return `it manages ${counted(count, 'resource')}, which ${count === 1 ? 'is' : 'are'} not destroyed`;
}

/** A tombstone of an undo unlocks what the run itself locked. */
function locked({ attributes: { lock } }: Resource, desired: Resource | undefined): string | undefined {
  if (!isRecord(lock) || lock.locked !== true || desired?.declared?.unlocks) return undefined;
  const reason = typeof lock.reason === 'string' ? ` ("${lock.reason}")` : '';
  return typeof lock.by === 'string' ? `${lock.by} has it locked${reason}` : `it is locked${reason}`;
}
