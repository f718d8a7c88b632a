import type { SourceLocation } from './diagnostic.ts';
import type { DeleteMode } from './state.ts';

/** Why a workspace is deleted: a tombstone in a file, the prune setting, or the undo of a run. */
export type DeletionSource = 'tombstone' | 'prune' | 'undo';

/** The source of a deletion. An undo has no location in a file. */
export function deletionSource(isDeclared: boolean, location: SourceLocation | undefined): DeletionSource {
  if (location !== undefined) return 'tombstone';
  return isDeclared ? 'undo' : 'prune';
}

/** How the user sets a mode, by the source of the deletion; for hints. */
export const modeHints: Readonly<Record<DeletionSource, Readonly<Record<DeleteMode, string>>>> = {
  tombstone: { safe: 'write `delete: safe`', force: 'write `delete: force`' },
  prune: { safe: 'set prune.workspaces to `safe`', force: 'set prune.workspaces to `force`' },
  undo: { safe: 'run again without --force', force: 'run again with --force' },
};

/** The hint for a deletion on a service without safe delete. A force delete of a workspace leaves its resources unmanaged. */
export function withoutSafeDelete(force: string): string {
  return `check that it manages no resources, then ${force}, which deletes it without that check`;
}
