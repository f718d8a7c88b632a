import type { Change } from '../model/change.ts';
import type { Call } from '../model/plan.ts';
import { placeholdersOf } from './placeholders.ts';

/**
 * The addresses whose calls come before those of a change: workspaces that its calls need the ids of, and for a
 * deletion every consumer list that loses the workspace.
 */
export function dependencies(
  change: Change,
  calls: readonly Call[],
  losers: ReadonlyMap<string, readonly string[]>,
): string[] {
  const needed = calls.flatMap(placeholdersOf);
  const lists = change.action === 'delete' ? (losers.get(change.live?.id ?? '') ?? []) : [];
  return [...new Set([...needed, ...lists])].filter((address) => address !== change.address).sort();
}

/** For each workspace that some consumer list loses: the addresses of those lists' changes. */
export function losingLists(changes: readonly Change[]): Map<string, string[]> {
  const losers = new Map<string, string[]>();
  for (const change of changes) {
    const lost = change.fields.find((field) => field.path === 'remote-state-consumers')?.remove ?? [];
    for (const id of lost) losers.set(id, [...(losers.get(id) ?? []), change.address]);
  }
  return losers;
}
