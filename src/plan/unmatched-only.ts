import { addressPatterns, type SelectedFrom, selectorIn } from '../desired/declared-selector.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import { nearest } from '../model/text.ts';
import { matchesAddress } from '../model/wildcard.ts';

/** The declarations of one root file, and the plan for it. */
export interface PlannedRoot {
  readonly configuration: { readonly desired: State };
  readonly plan: Pick<Plan, 'changes' | 'unmanaged'>;
  /** What selectors are resolved with. @default the configuration */
  readonly selectedFrom?: SelectedFrom;
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
  const addresses = planned.flatMap(addressesOf);
  const matches = (pattern: string, root: PlannedRoot) =>
    addressPatterns([pattern], root.selectedFrom ?? root.configuration).some((one) =>
      addressesOf(root).some((address) => matchesAddress(one, address)),
    );
  return [...new Set(only)]
    .filter((pattern) => !planned.some((root) => matches(pattern, root)))
    .map((pattern) => ({
      severity,
      code: 'only-nothing',
      message: `${option} ${pattern} matches nothing`,
      hint: hint(pattern, addresses, option),
    }));
}

function addressesOf({ configuration, plan }: PlannedRoot): readonly string[] {
  return [
    ...configuration.desired.resources.keys(),
    ...plan.changes.map(({ address }) => address),
    ...plan.unmanaged,
  ];
}

function hint(pattern: string, addresses: readonly string[], option: string): string {
  if (selectorIn(pattern) !== undefined)
    return 'check the files: tags, projects and key/value tags are matched as they are declared';
  // Most often the kind is left out.
  const kind = addresses.find((address) => matchesAddress(`workspace.${pattern}`, address));
  const near = kind === undefined ? nearest(pattern, addresses) : `workspace.${pattern}`;
  return near === undefined
    ? 'use workspace.<name> or team-access.<project>/<team>; * matches any characters, ? one'
    : `did you mean ${option} ${near}?`;
}
