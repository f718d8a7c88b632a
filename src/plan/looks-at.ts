import type { Configuration } from '../desired/configuration.ts';
import type { QueryOptions } from '../desired/live-query-of.ts';
import { matchesAddress } from '../model/wildcard.ts';

interface Looks {
  readonly only?: readonly string[];
  readonly addresses?: ReadonlySet<string>;
  readonly reportScope?: boolean;
}

/** What a run looks at: the addresses that are given, those that match a pattern, or everything. */
export function looksAt(
  { desired }: Configuration,
  { only = [], addresses, reportScope = false }: Looks,
): Required<Pick<QueryOptions, 'chosen' | 'looksAtUndeclared' | 'reportScope'>> {
  if (addresses !== undefined) {
    const isUndeclaredWorkspace = (address: string) =>
      address.startsWith('workspace.') && !desired.resources.has(address);
    return {
      chosen: (address) => addresses.has(address),
      looksAtUndeclared: [...addresses].some(isUndeclaredWorkspace),
      reportScope,
    };
  }
  return {
    chosen: (address) => only.length === 0 || only.some((glob) => matchesAddress(glob, address)),
    looksAtUndeclared: only.length === 0 || only.some((glob) => !glob.startsWith('team-access.')),
    reportScope,
  };
}

/** Whether a grant can be among what a run looks at. */
export function looksAtGrants(only: readonly string[] = []): boolean {
  return only.length === 0 || only.some((glob) => !glob.startsWith('workspace.'));
}
