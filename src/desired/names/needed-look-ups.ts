import type { Configuration, LookUp } from '../configuration.ts';
import type { QueryOptions } from '../live-query-of.ts';
import { referencesOf } from './map-references.ts';

/** The names that a run depends on: those of what it looks at, and of what its limits count. */
export function neededLookUps(configuration: Configuration, options: QueryOptions = {}): readonly LookUp[] {
  const { lookUps, desired, scope, prune, grantProjects } = configuration;
  if (lookUps.length === 0) return [];
  const {
    chosen = () => true,
    looksAtUndeclared = true,
    reportScope = false,
    comparesGrants = false,
  } = options;
  const looked = [...desired.resources.values()].filter(
    // What is listed is not pruned, so pruning has to know all that is.
    ({ kind, address }) =>
      chosen(address) || ((prune.teamAccess || comparesGrants) && kind === 'team-access'),
  );
  const prunesWorkspaces = prune.workspaces !== 'keep' && looksAtUndeclared;
  const mayDelete = prunesWorkspaces || prune.teamAccess || looked.some(({ declared }) => declared?.absent);
  const used = new Set([
    ...looked.flatMap(referencesOf),
    ...(mayDelete || (reportScope && looksAtUndeclared) ? (scope?.projects ?? []) : []),
    ...(mayDelete ? grantProjects.keys() : []),
  ]);
  return lookUps.filter(({ placeholder }) => used.has(placeholder));
}
