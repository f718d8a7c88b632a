/*
 * A root file owns what it declares, and what is undeclared in its scope: workspaces, and the grants of the projects that it
 * names under `team-access`. Only what it owns can be pruned. What it declares has to be in its scope before the plan,
 * unless `scope.adopt` names it, and after the plan.
 */

import { hasProject, inScope, type ScopePart, scopeMismatches } from '../live/live-query.ts';
import type { Live } from '../live/read-live.ts';
import { workspaceRelations } from '../model/attributes.ts';
import type { FieldChange } from '../model/change.ts';
import { type BaseDeclarations, type Configuration, type Scope, shownAs } from '../model/configuration.ts';
import { type Diagnostic, note, problem, type Subject } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindingRule } from '../model/list-rule.ts';
import { findWorkspace, type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { listed, quote } from '../model/text.ts';
import type { Comparison, Matched } from './comparison.ts';
import type { Deletion } from './refusals.ts';

export function owns({ scope, grantProjects }: BaseDeclarations, live: Resource, dialect: Dialect): boolean {
  if (live.kind === 'workspace') return scope !== undefined && inScope(scope, live, dialect);
  if (live.kind === 'project') return false;
  const { project } = live.attributes;
  return grantProjects.has(project) && (scope === undefined || hasProject(scope, project));
}

export function prunes(root: BaseDeclarations, live: Resource, dialect: Dialect): boolean {
  const { workspaces, teamAccess } = root.prune;
  const isPruned = live.kind === 'workspace' ? workspaces !== 'keep' : teamAccess;
  return isPruned && owns(root, live, dialect);
}

export function hasOutside(configuration: Configuration, { state, dialect }: Live): boolean {
  const { roots = [configuration] } = configuration;
  return roots.some(({ scope, desired }) =>
    resourcesOf(scope ? desired.resources.values() : [], 'workspace').some(({ name }) => {
      const live = findWorkspace(state, name);
      return scope !== undefined && live !== undefined && !inScope(scope, live, dialect);
    }),
  );
}

interface Compared extends Matched<'workspace'> {
  readonly fields: readonly FieldChange[];
}

/** Reports what is declared outside the scope of its root file. What is pruned is always in scope. */
export function checkOwnership(
  comparison: Comparison,
  { planned, deleted }: { readonly planned: readonly Compared[]; readonly deleted: readonly Deletion[] },
): Diagnostic[] {
  const { configuration, chosen } = comparison;
  const declared = [...configuration.desired.resources.values()].filter(({ address }) => chosen(address));
  return [
    ...resourcesOf(declared, 'project').flatMap((project) =>
      outsideProject(project, project.id ?? '', comparison),
    ),
    ...planned.flatMap((one) => outsideWorkspace(one, comparison)),
    ...deleted.flatMap(({ desired, live }) =>
      desired ? outsideWorkspace({ desired, live }, comparison) : [],
    ),
    ...resourcesOf(declared, 'team-access').flatMap((grant) =>
      outsideProject(grant, grant.attributes.project, comparison),
    ),
    ...outsidePruning(comparison),
  ];
}

function outsideWorkspace(
  { desired, live, target, fields = [] }: Partial<Compared> & Pick<Compared, 'desired'>,
  comparison: Comparison,
): Diagnostic[] {
  const root = comparison.rootOf(desired.address);
  const { scope } = root;
  if (scope === undefined) return [];
  const { dialect, missing } = comparison.live;
  // What the service lacks is its own error.
  const lacksTags = dialect === 'iac' || missing.includes('tag-bindings');
  const mismatches = (workspace: WorkspaceResource | undefined) =>
    workspace
      ? scopeMismatches(scope, workspace, dialect).filter((part) => part !== 'tagged' || !lacksTags)
      : [];
  const before = live && scope.adopt.includes(live.name) ? [] : mismatches(live);
  const after = mismatches(target);
  if (before.length + after.length === 0) return [];
  const continued =
    live && target && after.length === 0 && whyContinued({ desired, live, fields }, before, comparison);
  if (continued)
    return [
      note(
        'unfinished-creation',
        `the creation of ${desired.address} is continued: ${partsOf(before)}, but ${continued}`,
        { at: desired },
      ),
    ];
  const former = live && live.name !== desired.name ? ` as ${quote(live.name)}` : '';
  return outside(desired, scope, comparison, {
    why:
      before.length > 0
        ? `live${former} outside the scope: ${partsOf(before)}`
        : `outside the scope after the plan: ${partsOf(after)}`,
    hint:
      after.length > 0
        ? 'declare values of the scope, widen it, or move the declaration to another root file'
        : `add ${quote(live?.name ?? desired.name)} to scope.adopt to take it over, or remove the declaration`,
  });
}

export const sentLater: ReadonlySet<string> = new Set(
  workspaceRelations.filter((path) => path !== 'project' && path !== 'tag-bindings'),
);

function whyContinued(
  { desired, live, fields }: Required<Pick<Compared, 'desired' | 'fields'>> & { live: WorkspaceResource },
  mismatches: readonly ScopePart[],
  { unfinished }: Comparison,
): string | undefined {
  const unsent: ReadonlySet<ScopePart> | undefined = unfinished?.get(live.id ?? '');
  if (unsent && mismatches.every((part) => unsent.has(part)))
    return 'the last journal shows that the run which created the workspace did not complete';
  const { tags } = live.attributes;
  if (!live.isUnused || !Array.isArray(tags) || tags.length > 0) return undefined;
  const bindings = asBindingRule(desired.attributes['tag-bindings']);
  const isLater = (path: string) =>
    sentLater.has(path) || (path === 'tag-bindings' && bindings !== undefined && 'add' in bindings);
  return fields.every(({ path }) => isLater(path))
    ? 'the workspace is unused and has every value that its creation sends'
    : undefined;
}

function outside(
  declared: Subject,
  { enforce }: Scope,
  { refusal }: Comparison,
  { why, hint }: { readonly why: string; readonly hint: string },
): Diagnostic[] {
  const severity = enforce ? refusal : 'warning';
  return [problem('outside-scope', `${declared.address} is ${why}`, { severity, at: declared, hint })];
}

function partsOf(mismatches: readonly ScopePart[]): string {
  return `it does not match ${listed(mismatches.map((part) => `scope.${part}`))}`;
}

function outsideProject(
  declared: Subject & { readonly address: string },
  project: string,
  comparison: Comparison,
  root = comparison.rootOf(declared.address),
): Diagnostic[] {
  const { scope } = root;
  if (scope === undefined || hasProject(scope, project)) return [];
  const name = quote(shownAs(root, 'projects', project));
  return outside(declared, scope, comparison, {
    why: `outside the scope: project ${name} is not in scope.projects`,
    hint: `add ${name} to scope.projects, or declare it in the root file that owns the project`,
  });
}

/** Projects whose undeclared grants are to be pruned, and which have no others: `{}` under `team-access`. */
function outsidePruning(comparison: Comparison): Diagnostic[] {
  const { configuration, chosen } = comparison;
  const { roots = [configuration] } = configuration;
  return roots.flatMap((root) => {
    const { file, prune, grantProjects, grantProjectLocations, desired } = root;
    const grants = resourcesOf(desired.resources.values(), 'team-access');
    const declared = new Set(grants.map(({ attributes }) => attributes.project));
    return [...(prune.teamAccess ? grantProjects : [])].flatMap(([project, written]) => {
      const address = `team-access.${written}`;
      if (declared.has(project) || !chosen(`${address}/`)) return [];
      const at = {
        address,
        root: configuration.roots && file,
        location: grantProjectLocations?.get(written),
      };
      return outsideProject(at, project, comparison, root);
    });
  });
}
