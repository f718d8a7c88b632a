import type { Diagnostic } from '../model/diagnostic.ts';
import { nearest } from '../model/nearest.ts';
import type { Plan } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import { matchesWildcard } from '../model/wildcard.ts';

/** What one root file declares, and the plan for it. */
export interface Declared {
  readonly configuration: { readonly desired: State };
  readonly plan: Pick<Plan, 'changes' | 'unmanaged'>;
}

/**
 * Warnings about those patterns of `--only` that choose nothing in any of the root files: most likely a slip, and the
 * plan would be empty without a word.
 */
export function unmatchedOnly(only: readonly string[], planned: readonly Declared[]): Diagnostic[] {
  if (only.length === 0) return [];
  const addresses = planned.flatMap(({ configuration, plan }) => [
    ...configuration.desired.resources.keys(),
    ...plan.changes.map(({ address }) => address),
    ...plan.unmanaged,
  ]);
  return [...new Set(only)]
    .filter((pattern) => !addresses.some((address) => matchesWildcard(pattern, address)))
    .map((pattern) => ({
      severity: 'warning',
      code: 'only-nothing',
      message: `--only ${pattern} matches nothing`,
      hint: hint(pattern, addresses),
    }));
}

function hint(pattern: string, addresses: readonly string[]): string {
  // Most often the kind is left out.
  const kind = addresses.find((address) => matchesWildcard(`workspace.${pattern}`, address));
  const near = kind === undefined ? nearest(pattern, addresses) : `workspace.${pattern}`;
  return near === undefined
    ? 'addresses are workspace.<name> and team-access.<project>/<team>, with * for any characters'
    : `did you mean --only ${near}?`;
}
