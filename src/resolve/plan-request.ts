import { changesOf } from '../model/change.ts';
import { rootsOf } from '../model/configuration.ts';
import { addressPatterns, type SelectedFrom } from '../model/declared-selector.ts';
import { type Diagnostic, DiagnosticsError, problem } from '../model/diagnostic.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import { matchesAddress } from '../model/selector.ts';
import {
  canMatchKind,
  kindOfAddress,
  type ResourceKind,
  type State,
  workspaceAddress,
} from '../model/state.ts';
import { nearest } from '../model/text.ts';

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
  /** Whether key/value tags are read because the saved plan has read them. @default if the selected part needs them */
  readonly bindings?: boolean;
}

export interface PlanRequest {
  readonly selection?: PlanSelection;
  /** @default 'apply' */
  readonly purpose?: PlanPurpose;
}

/** The part of a configuration that a run evaluates. */
export interface QueryOptions extends PlanSelection {
  /**
   * What is planned. `accept` reads what `drift` does, and the consumers of the layers below a list, because the list may
   * end. @default a comparison of declared resources, which needs no names of guards
   */
  readonly purpose?: PlanPurpose | 'accept';
  /** What else needs ids. @default nothing */
  readonly also?: Iterable<NameUse>;
}

/**
 * What needs ids beside the chosen resources: all resources of a kind, the lists of a guard, or the projects under
 * `team-access`.
 */
export type NameUse = ResourceKind | 'protect' | 'keep-admin' | 'grant-projects';

export function selectMatching(only: readonly string[] = []): PlanSelection {
  if (only.length === 0) return {};
  return {
    chosen: (address) => only.some((glob) => matchesAddress(glob, address)),
    looksAtUndeclared: only.some((glob) => canMatchKind(glob, 'workspace')),
    looksAtAccessOf: (project) => only.some((glob) => canMatchGrantOf(glob, project)),
  };
}

function canMatchGrantOf(glob: string, project: string): boolean {
  const [before = ''] = glob.split(/[/*]/, 1);
  return kindOfAddress(glob) === 'team-access' && matchesAddress(`${before}*`, `team-access.${project}/`);
}

export function selectChanged(
  plans: readonly Pick<Plan, 'changes'>[],
  { resources }: Pick<State, 'resources'>,
): PlanSelection {
  const changes = plans.flatMap((plan) => plan.changes);
  const addresses = new Set(changes.map(({ address }) => address));
  return {
    chosen: (address) => addresses.has(address),
    looksAtUndeclared: changesOf(changes, 'workspace').some(({ address }) => !resources.has(address)),
    bindings: changes.some(({ facts = {} }) => 'tag-bindings' in facts),
  };
}

export function coversAll({ chosen, purpose }: Pick<QueryOptions, 'chosen' | 'purpose'>): boolean {
  return chosen === undefined && (purpose === 'apply' || purpose === 'review');
}

export function reportsAll({ purpose }: Pick<QueryOptions, 'purpose'>): boolean {
  return purpose === 'drift' || purpose === 'accept';
}

export function undeclaredAccessIn(options: QueryOptions): (project: string) => boolean {
  const { chosen, looksAtAccessOf, purpose } = options;
  if (purpose === 'undo' || purpose === 'replan') return () => false;
  return looksAtAccessOf ?? (() => chosen === undefined);
}

export interface PlannedRoot {
  readonly configuration: SelectedFrom & { readonly roots?: readonly SelectedFrom[] | undefined };
  readonly plan: Pick<Plan, 'changes' | 'unmanaged'>;
  /** What selectors are resolved with. @default the root files of the configuration */
  readonly selectedFrom?: readonly SelectedFrom[];
  /** The addresses of live workspaces that no file declares, as far as they were read. */
  readonly live?: readonly string[];
}

export function refuseUnmatched(...request: Parameters<typeof unmatchedOnly>): void {
  const unmatched = unmatchedOnly(...request);
  if (unmatched.length > 0) throw new DiagnosticsError(unmatched);
}

/**
 * Finds the patterns of `--only` that match no address of any root file. Most are typing errors, and the plan would be
 * empty without an explanation.
 */
export function unmatchedOnly(only: readonly string[], planned: readonly PlannedRoot[]): Diagnostic[] {
  const matches = (pattern: string, root: PlannedRoot) =>
    (root.selectedFrom ?? rootsOf(root.configuration))
      .flatMap((from) => addressPatterns([pattern], from))
      .some((one) => addressesOf(root).some((address) => matchesAddress(one, address)));
  return [...new Set(only)]
    .filter((pattern) => !planned.some((root) => matches(pattern, root)))
    .map((pattern) =>
      problem('nothing-matched', `--only ${pattern} matches nothing`, { hint: hint(pattern, planned) }),
    );
}

function addressesOf({ configuration, plan, live = [] }: PlannedRoot): readonly string[] {
  return [
    ...configuration.desired.resources.keys(),
    ...plan.changes.map(({ address }) => address),
    ...plan.unmanaged,
    ...live,
  ];
}

function hint(pattern: string, planned: readonly PlannedRoot[]): string {
  const addresses = planned.flatMap(addressesOf);
  // Most often the kind is left out.
  const named = workspaceAddress(pattern);
  const isNamed = addresses.some((address) => matchesAddress(named, address));
  const meant = /[*?]/.test(pattern) ? undefined : nearest(pattern, addresses);
  const near = isNamed ? named : meant;
  return near === undefined
    ? 'use workspace.<name>, project.<alias>, team-access.<project>/<team>, or a selector such as tag:prod; * matches any characters, ? one'
    : `did you mean --only ${near}?`;
}
