/*
 * Desired and live state to changes. It reads nothing, and knows neither calls nor limits.
 *
 * Premise: what is unmanaged is copied from the live resource before the comparison, so that nothing is filtered afterwards.
 *
 *   declared and live resources -> matched: by name or id, by the former name
 *   matched   -> target: the live resource with the declared values over it, as the service makes it
 *   target and live resource, value by value -> change
 *   undeclared live resources that the rules of their owner prune -> deletion
 *
 * An owner is the root file that declares an address, or whose scope has it. What the live state refuses is a diagnostic
 * (ownership.ts, refusals.ts), and the changes are complete all the same.
 */

import type { Live } from '../live/read-live.ts';
import { type Action, actions, type Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PlanPurpose, UndeclaredGrant } from '../model/plan.ts';
import {
  kindOfAddress,
  nameOfAddress,
  type Resource,
  type ResourceKind,
  resourceKinds,
} from '../model/state.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { declaredByBase } from './base.ts';
import type { Comparison, KindDifference, Owner, UnfinishedCreations } from './comparison.ts';
import { compareGrants } from './grants.ts';
import { checkOwnership, owns, prunes } from './ownership.ts';
import { compareProjects } from './projects.ts';
import { refusalsOf } from './refusals.ts';
import { compareWorkspaces } from './workspaces.ts';

/** What a comparison looks at. */
export interface DiffOptions {
  /** Selects the compared addresses; other resources are left unchanged. @default all */
  readonly chosen?: (address: string) => boolean;
  /** What leaves out an address that is not selected. @default `--only` */
  readonly leftOut?: (address: string) => { readonly by: string; readonly hint: string } | undefined;
  /** For a report of drift, a problem that would prevent an apply is a warning. @default 'apply' */
  readonly purpose?: PlanPurpose;
  /** From the journal of an earlier run. @default none is known */
  readonly unfinished?: UnfinishedCreations | undefined;
}

/** The differences, and the diagnostics of the comparison. */
export interface Difference {
  /** By action (creates, updates, deletes), then by address. */
  readonly changes: readonly Change[];
  /** Number of declared resources without a difference. */
  readonly unchanged: number;
  /**
   * Addresses of undeclared live workspaces in scope, if the scope was read in full, and of undeclared grants of projects
   * whose access is declared.
   */
  readonly unmanaged: readonly string[];
  /** The grants among `unmanaged`. */
  readonly undeclaredAccess: readonly UndeclaredGrant[];
  /**
   * The root file that an address belongs to, by its place among those of the configuration: it declares the address, or its
   * rules apply to it. What is missing belongs to the first.
   */
  readonly owners: ReadonlyMap<string, number>;
  /** All live resources as they will be: without deleted ones, with created ones (their id is a placeholder). */
  readonly after: readonly Resource[];
  /** Problems that only the live state shows; with an error among them nothing may be applied. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compares the configuration with the live state. Pure: the same input gives the same changes.
 *
 * Each declared resource is matched with its live one. Its target has the declared values, and the live ones where it
 * declares none. Then target and live resource are compared.
 *
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * const { changes, unchanged } = diff(configuration, live);
 * console.log(changes.map(({ action, address }) => `${action} ${address}`));
 * // [
 * //   'update team-access.payments/developers',
 * //   'update workspace.billing-prod',
 * //   'update workspace.network-prod',
 * //   'delete workspace.legacy'
 * // ]
 * console.log(unchanged); // 0
 * ```
 */
export function diff(configuration: Configuration, live: Live, options: DiffOptions = {}): Difference {
  const { roots: [first = configuration] = [] } = configuration;
  const owners = ownersOf(configuration, live);
  const comparison: Comparison = {
    configuration,
    live,
    owners,
    rootOf: (address) => owners.get(address)?.root ?? first,
    chosen: options.chosen ?? (() => true),
    leftOut: (address) => {
      const file = configuration.leftOut?.get(address);
      if (file === undefined)
        return {
          code: 'needs-left-out',
          ...(options.leftOut?.(address) ?? { by: '--only', hint: `add --only ${address}` }),
        };
      return { code: 'root-file-missing', by: `the plan without ${file}`, hint: `correct ${file}` };
    },
    purpose: options.purpose ?? 'apply',
    refusal: options.purpose === 'drift' ? 'warning' : 'error',
    unfinished: options.unfinished,
  };
  const project = compareProjects(comparison);
  const workspace = compareWorkspaces(comparison, project.after);
  const kinds: { readonly [Kind in ResourceKind]: KindDifference<Kind> } = {
    project,
    workspace,
    'team-access': compareGrants(comparison),
  };
  const found = resourceKinds.map((kind) => kinds[kind]);
  const changes = found.flatMap<Change>(({ changes }) => changes).sort(byActionAndAddress);
  const after = found.flatMap<Resource>((kind) => kind.after);
  const problems = [
    ...found.flatMap(({ diagnostics }) => diagnostics),
    ...checkOwnership(comparison, workspace),
    ...refusalsOf(comparison, { workspace, projects: project.changes, changes, after }),
  ];
  const owned = [owners, ...found.map((kind) => kind.owners ?? [])].flatMap((known) => [...known]);
  return {
    changes,
    unchanged: found.reduce((sum, { unchanged }) => sum + unchanged, 0),
    unmanaged: found.flatMap(({ unmanaged }) => unmanaged),
    undeclaredAccess: found.flatMap((kind) => kind.undeclaredAccess ?? []),
    after,
    owners: new Map(owned.map(([address, { index }]) => [address, index])),
    diagnostics: deduplicate(problems),
  };
}

/** The owners of declared addresses, and of undeclared live ones: of several, the first that prunes. */
function ownersOf(configuration: Configuration, live: Live): ReadonlyMap<string, Owner> {
  const { desired, base, roots = [configuration] } = configuration;
  const { state, dialect } = live;
  // With --only-changed, what the base prunes as well stays.
  const before = base?.onlyChanged && base.declared && declaredByBase(base.declared);
  const owners = new Map<string, Owner>();
  for (const resource of state.resources.values()) {
    if (desired.resources.has(resource.address)) continue;
    const owning = roots.flatMap((root, index) =>
      owns(root, resource, dialect)
        ? { root, index, prunes: prunes(root, resource, dialect) && !before?.prunes(resource, dialect) }
        : [],
    );
    const owner = owning.find((one) => one.prunes) ?? owning[0];
    if (owner) owners.set(resource.address, owner);
  }
  for (const [index, root] of roots.entries())
    for (const address of root.desired.resources.keys()) owners.set(address, { root, index });
  return owners;
}

export function byActionAndAddress(
  a: Pick<Change, 'action' | 'address'>,
  b: Pick<Change, 'action' | 'address'>,
): number {
  const order = (action: Action) => actions.indexOf(action);
  return order(a.action) - order(b.action) || (a.address < b.address ? -1 : 1);
}

/** Reports a line of a layer that is wrong for many resources once, at the first of them. */
export function deduplicate(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...groupBy(diagnostics, sameProblem).values()].flatMap(([first, ...rest]) => {
    const others = new Set(rest.map(({ address }) => address)).size;
    if (first === undefined || others === 0) return first ?? [];
    const kind = kindOfAddress(first.address ?? '');
    const noun = kind === 'team-access' ? 'grant' : kind;
    return { ...first, message: `${first.message} (and ${counted(others, `more ${noun}`)})` };
  });
}

/** Equal for all resources that a line concerns. A diagnostic without a location is not equal to any other. */
function sameProblem(diagnostic: Diagnostic): unknown {
  const { severity, code, message, address, location } = diagnostic;
  if (address === undefined || location === undefined) return diagnostic;
  const { file, line, column } = location;
  const text = message.replaceAll(`"${nameOfAddress(address)}"`, '""').replace(address, '');
  return JSON.stringify([severity, code, text, file, line, column]);
}
