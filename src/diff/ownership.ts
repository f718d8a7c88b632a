import { hasProject, type ScopeMismatch, scopeMismatches } from '../live/live-query.ts';
import { workspaceRelations } from '../model/attributes.ts';
import {
  aliasOf,
  type Configuration,
  ofEachRoot,
  rootOf,
  rootsOf,
  type Scope,
} from '../model/configuration.ts';
import { type about, type Diagnostic, note, problem, type Severity } from '../model/diagnostic.ts';
import {
  type GrantResource,
  type ProjectResource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { asBindingRule } from '../model/tag-bindings.ts';
import { quote } from '../model/text.ts';
import type { Comparison } from './comparison.ts';
import type { Deletion, Matching, PlannedMatch } from './match-workspaces.ts';
import { ownsAccess } from './owner.ts';
import { workspaceChange } from './workspace-change.ts';

/**
 * Reports declared workspaces that are outside the scope before the plan, unless `scope.adopt` names them, or after it.
 * A pruned workspace is always in scope, because pruning is limited to it.
 */
export function checkOwnership(
  comparison: Comparison,
  kept: readonly PlannedMatch[],
  deleted: Matching['deleted'],
): Diagnostic[] {
  return rootsOf(comparison.configuration).flatMap((root) => {
    const isOwn = ({ address }: WorkspaceResource) => root.desired.resources.has(address);
    return checkRoot(
      { ...comparison, configuration: root },
      kept.filter(({ desired }) => isOwn(desired)),
      [...deleted.values()].filter(({ desired }) => desired && isOwn(desired)),
    );
  });
}

function checkRoot(
  comparison: Comparison,
  kept: readonly PlannedMatch[],
  deleted: readonly Deletion[],
): Diagnostic[] {
  const {
    configuration,
    live: { dialect },
  } = comparison;
  const { scope } = configuration;
  if (scope === undefined) return [];
  const severity = severityOf(scope, comparison.refusal);
  const mismatches = (workspace: WorkspaceResource) => scopeMismatches(scope, workspace, dialect);
  const before = (live: WorkspaceResource | undefined) =>
    live === undefined || scope.adopt.includes(live.name) ? [] : mismatches(live);
  const check = (desired: WorkspaceResource, live?: WorkspaceResource, target?: WorkspaceResource) => {
    const outside = { before: before(live), after: target ? mismatches(target) : [] };
    if (outside.before.length + outside.after.length === 0) return [];
    if (live && target && outside.after.length === 0) {
      const isJournaled = isInJournal(live, outside.before, comparison);
      if (isJournaled || isUnfinished({ desired, live, target }))
        return [unfinishedCreation(desired, outside.before, isJournaled, configuration)];
    }
    return [outsideScope({ desired, live, severity, ...outside }, configuration)];
  };
  return [
    ...kept.flatMap(({ desired, live, target }) => check(desired, live, target)),
    ...deleted.flatMap(({ desired, live }) => (desired ? check(desired, live) : [])),
  ];
}

/** What a creation sends after its POST. */
export const sentLater: ReadonlySet<string> = new Set(
  workspaceRelations.filter((path) => path !== 'project' && path !== 'tag-bindings'),
);

/** Whether the journal of a run shows that it created the workspace, and did not send what is missing for the scope. */
function isInJournal(
  { id = '' }: WorkspaceResource,
  mismatches: readonly ScopeMismatch[],
  { unfinished }: Comparison,
): boolean {
  const unsent = unfinished?.get(id);
  return (
    unsent !== undefined &&
    mismatches.every(({ part }) => (part === 'tags' || part === 'tagged') && unsent.has(part))
  );
}

/**
 * Whether a workspace looks as if it was created for its declaration and the run was interrupted before its tags: it is
 * unused, and it has every value that the creation carried, which includes its name and its project.
 */
function isUnfinished({ desired, live, target }: Required<PlannedMatch>): boolean {
  const { tags } = live.attributes;
  if (!live.isUnused || !Array.isArray(tags) || tags.length > 0) return false;
  const bindings = asBindingRule(desired.attributes['tag-bindings']);
  const isLater = (path: string) =>
    sentLater.has(path) || (path === 'tag-bindings' && bindings !== undefined && 'add' in bindings);
  const { fields = [] } = workspaceChange(target, live, desired, undefined) ?? {};
  return fields.every(({ path }) => isLater(path));
}

function unfinishedCreation(
  desired: WorkspaceResource,
  mismatches: readonly ScopeMismatch[],
  isJournaled: boolean,
  configuration: Configuration,
): Diagnostic {
  const why = isJournaled
    ? 'the last journal shows that the run which created the workspace did not complete'
    : 'the workspace is unused and has every value that its creation sends';
  const reasons = mismatches.map((mismatch) => reasonOf(mismatch, configuration)).join(', and ');
  return note(
    'unfinished-creation',
    `the creation of ${desired.address} is continued: ${reasons}, but ${why}`,
    { at: desired },
  );
}

interface Outside {
  readonly desired: WorkspaceResource;
  readonly live: WorkspaceResource | undefined;
  readonly severity: Severity;
  /** Why the workspace is outside the scope before and after the plan; empty if it is inside. */
  readonly before: readonly ScopeMismatch[];
  readonly after: readonly ScopeMismatch[];
}

function outsideScope(outside: Outside, configuration: Configuration): Diagnostic {
  const { desired, live, severity, before, after } = outside;
  const reasons = (mismatches: readonly ScopeMismatch[]) =>
    mismatches.map((mismatch) => reasonOf(mismatch, configuration)).join(', and ');
  const former = live !== undefined && live.name !== desired.name ? ` as ${quote(live.name)}` : '';
  if (before.length === 0)
    return outsideOf(desired, severity, {
      message: `is outside the scope after the plan: ${reasons(after)}`,
      hint: hintAfter(after),
    });
  return outsideOf(desired, severity, {
    message: `is live${former} outside the scope: ${reasons(before)}`,
    hint:
      after.length > 0
        ? 'move the declaration to the root file that owns it, or widen the scope'
        : `add ${quote(live?.name ?? desired.name)} to scope.adopt to take it over, or remove the declaration`,
  });
}

function outsideOf(
  declared: Parameters<typeof about>[0],
  severity: Severity,
  { message, hint }: { readonly message: string; readonly hint: string },
): Diagnostic {
  return problem('outside-scope', `${declared.address} ${message}`, { severity, at: declared, hint });
}

function reasonOf(mismatch: ScopeMismatch, { aliases }: Configuration): string {
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

function hintAfter(mismatches: readonly ScopeMismatch[]): string {
  const [first] = mismatches;
  const change = {
    projects: 'declare a project of the scope',
    tags: 'declare the tags of the scope',
    names: 'choose a name of the scope',
    tagged: 'declare the tag bindings of the scope',
  }[first?.part ?? 'names'];
  return `${mismatches.length === 1 ? change : 'declare values of the scope'}, widen the scope, or move the declaration to another root file`;
}

/** Reports a managed project that is not in `scope.projects`. A scope without projects includes all projects. */
export function outsideProject(
  project: ProjectResource,
  { configuration, refusal }: Pick<Comparison, 'configuration' | 'refusal'>,
): Diagnostic[] {
  const { name, id = '' } = project;
  const { scope } = rootOf(configuration, project.address) ?? configuration;
  if (scope === undefined || hasProject(scope, id)) return [];
  return [
    outsideOf(project, severityOf(scope, refusal), {
      message: 'is outside the scope: it is not in scope.projects',
      hint: `add ${quote(name)} to scope.projects, or declare the project in the root file that owns it`,
    }),
  ];
}

/** Reports a declared grant of a project outside the scope. */
export function outsideGrant(
  grant: GrantResource,
  { configuration, refusal }: Pick<Comparison, 'configuration' | 'refusal'>,
): Diagnostic[] {
  const { scope, aliases } = rootOf(configuration, grant.address) ?? configuration;
  const { project } = grant.attributes;
  if (scope === undefined || ownsAccess(scope, project)) return [];
  const name = quote(aliasOf(aliases, 'projects', project));
  return [
    outsideOf(grant, severityOf(scope, refusal), {
      message: `is outside the scope: project ${name} is not in scope.projects`,
      hint: `add ${name} to scope.projects, or declare the access in the root file that owns the project`,
    }),
  ];
}

/** Reports projects outside the scope whose undeclared grants are to be pruned: `{}` under `team-access`. */
export function outsidePruning({ configuration, chosen, refusal }: Comparison): Diagnostic[] {
  return ofEachRoot(configuration, (root) => outsidePruningOf(root, { chosen, refusal }));
}

function outsidePruningOf(
  { scope, prune, grantProjects, grantProjectLocations, desired }: Configuration,
  { chosen, refusal }: Pick<Comparison, 'chosen' | 'refusal'>,
): Diagnostic[] {
  if (scope === undefined || !prune.teamAccess) return [];
  const declared = new Set(
    resourcesOf(desired.resources.values(), 'team-access').map(({ attributes }) => attributes.project),
  );
  return [...grantProjects].flatMap(([project, written]): Diagnostic[] => {
    const address = `team-access.${written}`;
    if (ownsAccess(scope, project) || declared.has(project) || !chosen(`${address}/`)) return [];
    const location = grantProjectLocations?.get(written);
    return [
      outsideOf({ address, location }, severityOf(scope, refusal), {
        message: `is outside the scope: project ${quote(written)} is not in scope.projects, and prune.team-access does not reach it`,
        hint: `add ${quote(written)} to scope.projects, or remove it from team-access`,
      }),
    ];
  });
}

function severityOf({ enforce }: Scope, refusal: Severity): Severity {
  return enforce ? refusal : 'warning';
}
