import type { Difference } from '../diff/diff.ts';
import type { ApplyResult } from '../model/apply-result.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Effects, Plan } from '../model/plan.ts';
import { workspaceAddress } from '../model/state.ts';
import { noneIfEmpty } from '../model/value.ts';
import { countChanges } from './create-plan.ts';

/** What decides which root file a part of a plan belongs to. */
interface DivideInput {
  /** Absent for the plan of one root file. */
  readonly roots: Configuration['roots'];
  readonly found: Pick<Difference, 'changes' | 'owners'>;
  readonly chosen: (address: string) => boolean;
}

/** The index of the root file that an address belongs to: the one that declares it, or owns it. */
type IndexOf = (address: string) => number;

/**
 * Divides the plan of an organization: one part for each of its root files, with what each of them declares, and what is
 * undeclared in its scope. The parts have all of the plan, each change once.
 */
export function divide(plan: Plan, input: DivideInput): readonly Plan[] {
  const { roots, found, chosen } = input;
  if (roots === undefined) return [plan];
  const indexOf = (address: string) => found.owners.get(address) ?? 0;
  const differing = new Set(found.changes.map(({ address }) => address));
  const isUnchanged = (address: string) => chosen(address) && !differing.has(address);
  const diagnostics = divideDiagnostics(plan.diagnostics, roots, indexOf);
  return roots.map((root, index) => ({
    ...partOf(plan, root, { roots, isUnchanged, indexOf, index }),
    diagnostics: diagnostics[index] ?? [],
  }));
}

export interface DividedPlan {
  readonly plan: Plan;
  /** One for each root file, with what was found about it. */
  readonly parts: readonly Plan[];
}

export function withParts(plan: Plan, parts: readonly Plan[]): DividedPlan {
  const [only, ...others] = parts;
  if (only && others.length === 0) return { plan: only, parts };
  const policies = parts.flatMap((part) => part.policies ?? []);
  const diagnostics = parts.flatMap((part) => part.diagnostics);
  return { plan: { ...plan, diagnostics, policies: noneIfEmpty(policies) ?? plan.policies }, parts };
}

/** The diagnostics of each root file. What is about none of them is with the first. */
export function divideDiagnostics(
  diagnostics: readonly Diagnostic[],
  roots: readonly Configuration[],
  indexOf: IndexOf = (address) => roots.findIndex(({ desired }) => desired.resources.has(address)),
): readonly (readonly Diagnostic[])[] {
  const parts = roots.map((): Diagnostic[] => []);
  for (const { root, ...one } of diagnostics) {
    const tagged = roots.findIndex(({ file }) => file === root);
    const index = tagged < 0 && one.address !== undefined ? indexOf(one.address) : tagged;
    parts[Math.max(index, 0)]?.push(one);
  }
  return parts;
}

interface PartInput {
  readonly roots: readonly Configuration[];
  readonly isUnchanged: (address: string) => boolean;
  readonly indexOf: IndexOf;
  readonly index: number;
}

function partOf(plan: Plan, root: Configuration, { roots, isUnchanged, indexOf, index }: PartInput): Plan {
  const { undeclaredAccess, noLongerDeclared, effects, overview, ...rest } = plan;
  const isOwn = (address: string) => indexOf(address) === index;
  const isWorkspace = (name: string) => isOwn(workspaceAddress(name));
  const changes = plan.changes.filter(({ address }) => isOwn(address));
  const unchanged = [...root.desired.resources.keys()].filter(isUnchanged);
  const effectsIn = ({ stateAccess, moves, inheritedTags, inherited }: Effects): Effects => ({
    stateAccess: stateAccess.filter(({ workspace }) => isWorkspace(workspace)),
    moves: moves.filter(({ workspace }) => isWorkspace(workspace)),
    inheritedTags: noneIfEmpty(
      inheritedTags?.flatMap((one) => {
        const workspaces = one.workspaces.filter(isWorkspace);
        return workspaces.length > 0 ? { ...one, workspaces } : [];
      }),
    ),
    inherited: noneIfEmpty(inherited?.filter(({ address }) => isOwn(address))),
  });
  const isOfProject = (shown: string) => {
    const id = overview.ids?.projects[shown] ?? shown;
    const first = roots.findIndex(({ grantProjects }) => grantProjects.has(id));
    return Math.max(first, 0) === index;
  };
  return {
    ...rest,
    summary: countChanges(changes, unchanged.length),
    changes,
    unmanaged: plan.unmanaged.filter(isOwn),
    undeclaredAccess: noneIfEmpty(undeclaredAccess?.filter(({ address }) => isOwn(address))),
    noLongerDeclared: noLongerDeclared?.filter(({ address }) =>
      root.base?.declared?.desired.resources.has(address),
    ),
    effects: effectsIn(effects),
    overview: {
      ...overview,
      effects: overview.effects && effectsIn(overview.effects),
      workspaces: overview.workspaces.filter(({ name }) => isWorkspace(name)),
      grants: overview.grants.filter(({ project }) => isOfProject(project)),
      projects: overview.projects?.filter(isOfProject),
      scope: root.scope === undefined ? 'none' : overview.scope,
    },
  };
}

export function divideResult(result: ApplyResult, parts: readonly Plan[]): readonly ApplyResult[] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return [result];
  return parts.map((part) => {
    const own = new Set(part.changes.map(({ address }) => address));
    const readers = new Set(part.effects.stateAccess.map(({ workspace }) => workspace));
    const isOwn = ({ address }: Pick<Diagnostic, 'address'>) =>
      address === undefined ? part === first : own.has(address);
    // The answers of the service can show more readers.
    const stateAccess = result.plan.effects.stateAccess.filter(
      ({ workspace }) => readers.has(workspace) || own.has(workspaceAddress(workspace)),
    );
    return {
      plan: { ...part, effects: { ...part.effects, stateAccess } },
      changes: result.changes.filter(isOwn),
      diagnostics: result.diagnostics.filter(isOwn),
    };
  });
}
