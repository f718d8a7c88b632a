/*
 * A root file owns what it declares, and what is undeclared in its scope: workspaces, and the grants of the projects that it
 * names under `team-access`. Only what it owns can be pruned. What it declares has to be in its scope before the plan,
 * unless `scope.adopt` names it, and after the plan.
 */

import { hasProject, inScope, type ScopeMismatch, scopeMismatches } from '../live/live-query.ts';
import type { Live } from '../live/read-live.ts';
import { workspaceRelations } from '../model/attributes.ts';
import {
  aliasOf,
  type BaseDeclarations,
  type Configuration,
  inRoot,
  type Scope,
} from '../model/configuration.ts';
import { type about, type Diagnostic, note, problem } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindingRule } from '../model/list-rule.ts';
import {
  findWorkspace,
  type GrantResource,
  type ProjectResource,
  type Resource,
  resourcesOf,
} from '../model/state.ts';
import { quote } from '../model/text.ts';
import type { Comparison, Owner } from './comparison.ts';
import type { Matching, PlannedMatch } from './match-workspaces.ts';
import { workspaceChange } from './workspace-change.ts';

/** The owners of declared addresses, and of undeclared live ones: of several, the first that prunes. */
export function ownersOf(configuration: Configuration, live: Live): ReadonlyMap<string, Owner> {
  const { desired, roots = [configuration] } = configuration;
  const { state, dialect } = live;
  const owners = new Map<string, Owner>();
  for (const resource of state.resources.values()) {
    if (desired.resources.has(resource.address)) continue;
    const owning = roots.flatMap((root, index) =>
      owns(root, resource, dialect) ? { root, index, prunes: prunes(root, resource, dialect) } : [],
    );
    const owner = owning.find((one) => one.prunes) ?? owning[0];
    if (owner) owners.set(resource.address, owner);
  }
  for (const [index, root] of roots.entries())
    for (const address of root.desired.resources.keys()) owners.set(address, { root, index, prunes: false });
  return owners;
}

function owns({ scope, grantProjects }: BaseDeclarations, live: Resource, dialect: Dialect): boolean {
  if (live.kind === 'workspace') return scope !== undefined && inScope(scope, live, dialect);
  if (live.kind === 'project') return false;
  const { project } = live.attributes;
  return grantProjects.has(project) && ownsAccess(scope, project);
}

/** Whether a root file deletes an undeclared live resource. */
export function prunes(root: BaseDeclarations, live: Resource, dialect: Dialect): boolean {
  const { workspaces, teamAccess, among } = root.prune;
  const isPruned = live.kind === 'workspace' ? workspaces !== 'keep' : teamAccess;
  return isPruned && owns(root, live, dialect) && among?.(live, dialect) !== false;
}

/** A scope without projects includes the team access of all projects. */
function ownsAccess(scope: Scope | undefined, project: string): boolean {
  return scope === undefined || hasProject(scope, project);
}

/** Whether a declared workspace is live outside the scope of its root file. */
export function hasOutside(configuration: Configuration, { state, dialect }: Live): boolean {
  const { roots = [configuration] } = configuration;
  return roots.some(({ scope, desired }) =>
    resourcesOf(scope ? desired.resources.values() : [], 'workspace').some(({ name }) => {
      const live = findWorkspace(state, name);
      return scope !== undefined && live !== undefined && !inScope(scope, live, dialect);
    }),
  );
}

/** Reports declared workspaces outside the scope of their root file. A pruned one is always in scope. */
export function checkOwnership(
  comparison: Comparison,
  kept: readonly PlannedMatch[],
  deleted: Matching['deleted'],
): Diagnostic[] {
  return [
    ...kept.flatMap((match) => outsideWorkspace(match, comparison)),
    ...[...deleted.values()].flatMap(({ desired, live }) =>
      desired ? outsideWorkspace({ desired, live }, comparison) : [],
    ),
  ];
}

function outsideWorkspace(
  { desired, live, target }: Omit<PlannedMatch, 'target'> & Partial<PlannedMatch>,
  comparison: Comparison,
): Diagnostic[] {
  const { scope, aliases } = comparison.rootOf(desired.address);
  if (scope === undefined) return [];
  const mismatches = (workspace: PlannedMatch['target'] | undefined) =>
    workspace ? scopeMismatches(scope, workspace, comparison.live.dialect) : [];
  const before = live && scope.adopt.includes(live.name) ? [] : mismatches(live);
  const after = mismatches(target);
  const reasons = (all: readonly ScopeMismatch[]) => all.map((one) => reasonOf(one, aliases)).join(', and ');
  if (after.length > 0 && before.length === 0)
    return outside(desired, scope, comparison, {
      message: `is outside the scope after the plan: ${reasons(after)}`,
      hint: hintAfter(after),
    });
  if (before.length === 0) return [];
  const continued =
    live && target && after.length === 0 && whyContinued({ desired, live, target }, before, comparison);
  if (continued)
    return [
      note(
        'unfinished-creation',
        `the creation of ${desired.address} is continued: ${reasons(before)}, but ${continued}`,
        { at: desired },
      ),
    ];
  const former = live && live.name !== desired.name ? ` as ${quote(live.name)}` : '';
  return outside(desired, scope, comparison, {
    message: `is live${former} outside the scope: ${reasons(before)}`,
    hint:
      after.length > 0
        ? 'move the declaration to the root file that owns it, or widen the scope'
        : `add ${quote(live?.name ?? desired.name)} to scope.adopt to take it over, or remove the declaration`,
  });
}

/** What a creation sends after its POST. */
export const sentLater: ReadonlySet<string> = new Set(
  workspaceRelations.filter((path) => path !== 'project' && path !== 'tag-bindings'),
);

/** Why a workspace outside the scope is one that this configuration began to create; nothing if it is not. */
function whyContinued(
  { desired, live, target }: Required<PlannedMatch>,
  mismatches: readonly ScopeMismatch[],
  { unfinished }: Comparison,
): string | undefined {
  const unsent = unfinished?.get(live.id ?? '');
  if (unsent && mismatches.every(({ part }) => (part === 'tags' || part === 'tagged') && unsent.has(part)))
    return 'the last journal shows that the run which created the workspace did not complete';
  const { tags } = live.attributes;
  if (!live.isUnused || !Array.isArray(tags) || tags.length > 0) return undefined;
  const bindings = asBindingRule(desired.attributes['tag-bindings']);
  const isLater = (path: string) =>
    sentLater.has(path) || (path === 'tag-bindings' && bindings !== undefined && 'add' in bindings);
  const { fields = [] } = workspaceChange(target, live, desired, undefined) ?? {};
  return fields.every(({ path }) => isLater(path))
    ? 'the workspace is unused and has every value that its creation sends'
    : undefined;
}

function outside(
  declared: Parameters<typeof about>[0],
  { enforce }: Scope,
  { refusal }: Pick<Comparison, 'refusal'>,
  { message, hint }: { readonly message: string; readonly hint: string },
): Diagnostic[] {
  const severity = enforce ? refusal : 'warning';
  return [problem('outside-scope', `${declared.address} ${message}`, { severity, at: declared, hint })];
}

function reasonOf(mismatch: ScopeMismatch, aliases: Configuration['aliases']): string {
  switch (mismatch.part) {
    case 'projects': {
      const { project } = mismatch;
      if (project === undefined) return 'it has no declared project, and scope.projects is set';
      return `project ${quote(aliasOf(aliases, 'projects', project))} is not in scope.projects`;
    }
    case 'tags':
      return missingText('tag', mismatch.missing, 'scope.tags');
    case 'tagged':
      return missingText('tag binding', mismatch.missing, 'scope.tagged');
    case 'names':
      return `the name ${quote(mismatch.name)} matches no pattern of scope.names`;
    default:
      return mismatch satisfies never;
  }
}

function missingText(noun: string, missing: readonly string[], key: string): string {
  const names = missing.map(quote).join(' and ');
  return missing.length === 1
    ? `${noun} ${names} of ${key} is missing`
    : `${noun}s ${names} of ${key} are missing`;
}

function hintAfter([first, ...others]: readonly ScopeMismatch[]): string {
  const changes = {
    projects: 'declare a project of the scope',
    tags: 'declare the tags of the scope',
    names: 'choose a name of the scope',
    tagged: 'declare the tag bindings of the scope',
  };
  const change = others.length > 0 ? 'declare values of the scope' : changes[first?.part ?? 'names'];
  return `${change}, widen the scope, or move the declaration to another root file`;
}

/** Reports a managed project that is not in `scope.projects`. */
export function outsideProject(project: ProjectResource, comparison: Comparison): Diagnostic[] {
  const { name, id = '' } = project;
  const { scope } = comparison.rootOf(project.address);
  if (scope === undefined || hasProject(scope, id)) return [];
  return outside(project, scope, comparison, {
    message: 'is outside the scope: it is not in scope.projects',
    hint: `add ${quote(name)} to scope.projects, or declare the project in the root file that owns it`,
  });
}

/** Reports a declared grant of a project outside the scope. */
export function outsideGrant(grant: GrantResource, comparison: Comparison): Diagnostic[] {
  const { scope, aliases } = comparison.rootOf(grant.address);
  const { project } = grant.attributes;
  if (scope === undefined || ownsAccess(scope, project)) return [];
  const name = quote(aliasOf(aliases, 'projects', project));
  return outside(grant, scope, comparison, {
    message: `is outside the scope: project ${name} is not in scope.projects`,
    hint: `add ${name} to scope.projects, or declare the access in the root file that owns the project`,
  });
}

/** Reports projects outside the scope whose undeclared grants are to be pruned: `{}` under `team-access`. */
export function outsidePruning(comparison: Comparison): Diagnostic[] {
  const { configuration, chosen } = comparison;
  const { roots = [configuration] } = configuration;
  return roots.flatMap((root) => {
    const { scope, prune, grantProjects, grantProjectLocations, desired } = root;
    if (scope === undefined || !prune.teamAccess) return [];
    const declared = new Set(
      resourcesOf(desired.resources.values(), 'team-access').map(({ attributes }) => attributes.project),
    );
    const found = [...grantProjects].flatMap(([project, written]) => {
      const address = `team-access.${written}`;
      if (ownsAccess(scope, project) || declared.has(project) || !chosen(`${address}/`)) return [];
      const location = grantProjectLocations?.get(written);
      return outside({ address, location }, scope, comparison, {
        message: `is outside the scope: project ${quote(written)} is not in scope.projects, and prune.team-access does not reach it`,
        hint: `add ${quote(written)} to scope.projects, or remove it from team-access`,
      });
    });
    return configuration.roots ? inRoot(root, found) : found;
  });
}
