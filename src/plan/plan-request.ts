import type { Plan, PlanPurpose } from '../model/plan.ts';
import type { State } from '../model/state.ts';
import { matchesAddress } from '../model/wildcard.ts';

/** The part of a configuration that a run evaluates. */
export interface PlanSelection {
  /** The addresses that the run evaluates. @default all */
  readonly chosen?: (address: string) => boolean;
  /** Whether undeclared workspaces can be among the chosen ones. @default true */
  readonly looksAtUndeclared?: boolean;
  /**
   * Whether the grants of a project, as the files write it, are read to find undeclared ones among the chosen addresses.
   *
   * @default all if no addresses are chosen, else none
   */
  readonly looksAtAccessOf?: (project: string) => boolean;
}

/** What is planned, and what for. */
export interface PlanRequest {
  readonly selection?: PlanSelection;
  /** @default 'apply' */
  readonly purpose?: PlanPurpose;
}

/** Selects addresses by patterns, with `*` for any part of one; no pattern selects all. */
export function selectMatching(only: readonly string[] = []): PlanSelection {
  if (only.length === 0) return {};
  return {
    chosen: (address) => only.some((glob) => matchesAddress(glob, address)),
    looksAtUndeclared: only.some((glob) => !/^(team-access|project)\./.test(glob)),
    looksAtAccessOf: (project) => only.some((glob) => canMatchGrantOf(glob, project)),
  };
}

/** Whether a pattern for grants can match one of a project: the part before the team decides. */
function canMatchGrantOf(glob: string, project: string): boolean {
  const [before = ''] = glob.split(/[/*]/, 1);
  return glob.startsWith('team-access.') && matchesAddress(`${before}*`, `team-access.${project}/`);
}

/** Selects exactly the addresses of a saved plan. */
export function selectChanged(
  { changes }: Pick<Plan, 'changes'>,
  { resources }: Pick<State, 'resources'>,
): PlanSelection {
  const addresses = new Set(changes.map(({ address }) => address));
  return {
    chosen: (address) => addresses.has(address),
    looksAtUndeclared: [...addresses].some(
      (address) => address.startsWith('workspace.') && !resources.has(address),
    ),
  };
}

/** Whether a run can evaluate a grant. */
export function looksAtGrants(only: readonly string[] = []): boolean {
  return only.length === 0 || only.some((glob) => !/^(workspace|project)\./.test(glob));
}

/** Whether a run evaluates all that the files declare, so that guards check all declared projects. */
export function coversAll({
  chosen,
  purpose,
}: Pick<PlanSelection, 'chosen'> & { readonly purpose?: PlanPurpose | 'accept' }): boolean {
  return chosen === undefined && (purpose === 'apply' || purpose === 'review');
}
