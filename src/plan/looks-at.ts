import type { QueryOptions } from '../desired/live-query-of.ts';
import { matchesWildcard } from '../model/wildcard.ts';

/** What a run looks at, by its flags. */
export function looksAt(only: readonly string[] = [], reportScope = false) {
  return {
    chosen: (address: string) => only.length === 0 || only.some((glob) => matchesWildcard(glob, address)),
    looksAtUndeclared: only.length === 0 || only.some((glob) => !glob.startsWith('team-access.')),
    reportScope,
  } satisfies QueryOptions;
}

/** Whether a grant can be among what a run looks at. */
export function looksAtGrants(only: readonly string[] = []): boolean {
  return only.length === 0 || only.some((glob) => !glob.startsWith('workspace.'));
}
