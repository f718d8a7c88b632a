import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import { nearest } from '../model/text.ts';
import { matchesAddress } from '../model/wildcard.ts';

/** The declarations of one root file, and the plan for it. */
export interface PlannedRoot {
  readonly configuration: { readonly desired: State };
  readonly plan: Pick<Plan, 'changes' | 'unmanaged'>;
}

export interface UnmatchedOptions {
  /** How the user names patterns: `--only` or `only`. */
  readonly option: string;
  /** An error if changes are about to be applied. @default 'warning' */
  readonly severity?: 'error' | 'warning';
}

/**
 * Finds the patterns of `--only` that match no address of any root file. Most are typing errors, and the plan would be
 * empty without an explanation.
 */
export function unmatchedOnly(
  only: readonly string[],
  planned: readonly PlannedRoot[],
  { option, severity = 'warning' }: UnmatchedOptions,
): Diagnostic[] {
  if (only.length === 0) return [];
  const addresses = planned.flatMap(({ configuration, plan }) => [
    ...configuration.desired.resources.keys(),
    ...plan.changes.map(({ address }) => address),
    ...plan.unmanaged,
  ]);
  return [...new Set(only)]
    .filter((pattern) => !addresses.some((address) => matchesAddress(pattern, address)))
    .map((pattern) => ({
      severity,
      code: 'only-nothing',
      message: `${option} ${pattern} matches nothing`,
      hint: hint(pattern, addresses, option),
    }));
}

function hint(pattern: string, addresses: readonly string[], option: string): string {
  // Most often the kind is left out.
  const kind = addresses.find((address) => matchesAddress(`workspace.${pattern}`, address));
  const near = kind === undefined ? nearest(pattern, addresses) : `workspace.${pattern}`;
  return near === undefined
    ? 'use workspace.<name> or team-access.<project>/<team>; * matches any characters, ? one'
    : `did you mean ${option} ${near}?`;
}
