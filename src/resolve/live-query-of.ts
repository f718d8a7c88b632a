import { isTagged } from '../desired/tag-bindings.ts';
import { byMember, hasProject, joinQueries, type LiveQuery } from '../live/live-query.ts';
import type { Configuration, LiveScope, LookUp } from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { holdSelectors } from '../model/rules.ts';
import {
  type ConsumerRef,
  consumersIn,
  findWorkspace,
  isUncreatedProject,
  isUnmistakableId,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { quote } from '../model/text.ts';
import { separateReadings } from '../relations/relations.ts';
import { bothNames, neededLookUps } from './needed-names.ts';
import { type QueryOptions, reportsAll, undeclaredAccessIn } from './plan-request.ts';

/**
 * The reads that are needed to compare this configuration with the service.
 *
 * @throws {@link AttuneError} if it depends on names that were not looked up.
 * @example
 * ```ts
 * const query = liveQueryOf(configuration);
 * console.log(query.names); // [ 'network-prod', 'billing-prod', 'legacy' ]
 * console.log(query.projects); // [ 'prj-payments' ]
 * ```
 */
export function liveQueryOf(configuration: Configuration, options: QueryOptions = {}): LiveQuery {
  const { roots = [configuration] } = configuration;
  const [first, ...others] = roots.map((root) => queryOfRoot(root, options));
  return joinQueries([first as LiveQuery, ...others]);
}

function queryOfRoot(configuration: Configuration, options: QueryOptions): LiveQuery {
  const { chosen = () => true, looksAtUndeclared = true } = options;
  const { desired, service, scope, prune, policies = [] } = configuration;
  requireIds(neededLookUps(configuration, options));
  const resources = [...desired.resources.values()].filter((resource) => chosen(resource.address));
  const workspaces = resourcesOf(resources, 'workspace');
  const grants = resourcesOf(resources, 'team-access');
  const managed = resourcesOf(resources, 'project');
  const deletesProject = managed.some(({ declared, id }) => declared?.absent && isLiveId(id));
  const kept = workspaces.filter((workspace) => !workspace.declared?.absent);
  const refs = kept.flatMap((workspace) => allConsumerRefs(workspace, configuration, options));
  const readsScope =
    scope &&
    looksAtUndeclared &&
    (reportsAll(options) ||
      prune.workspaces !== 'keep' ||
      policies.some(({ on, fields }) => on === 'plan' && fields.includes('unmanaged')));
  const looksAtAccessOf = undeclaredAccessIn(options);
  const ownProjects = [...configuration.grantProjects].flatMap(([project, written]) =>
    (prune.teamAccess || looksAtAccessOf(written)) && (scope === undefined || hasProject(scope, project))
      ? project
      : [],
  );
  const allNames = new Set(kept.flatMap(bothNames));
  const managedIds = managed.length > 0 ? managed.flatMap(({ id }) => (isLiveId(id) ? id : [])) : undefined;
  const readsAllProjects = selectsByBindings(configuration, refs) || readsEffectiveBindings(configuration);
  const reads = (field: string) => policiesUse(configuration, field);
  const projects = [...ownProjects, ...grants.map((grant) => grant.attributes.project)];
  return {
    organization: desired.organization,
    dialect: service.dialect,
    names: unique([
      ...workspaces.flatMap(bothNames),
      ...refs
        .filter((ref) => typeof ref === 'string')
        .filter((ref) => !isUnmistakableId(ref))
        .flatMap((name) => bothNames(findWorkspace(desired, name) ?? { name })),
    ]),
    // A project can be deleted only if no workspace is left in it. The project of a consumer is in its document.
    whole:
      refs.some((ref) => typeof ref !== 'string') ||
      deletesProject ||
      ['readers', 'consumerProjects', 'consumerProjectIds'].some(reads),
    scopes: readsScope ? [liveScope(scope)] : undefined,
    within: scope && !readsScope ? liveScope(scope) : undefined,
    ...byMember((path) =>
      separateReadings[path].policyFields.some(reads)
        ? allNames
        : new Set(kept.filter(({ attributes }) => attributes[path] !== undefined).flatMap(bothNames)),
    ),
    bindings: readsBindings(configuration, options),
    managedProjects: readsAllProjects ? 'all' : managedIds,
    projects: unique(projects).filter(isLiveId),
  };
}

export function readsBindings(
  configuration: Configuration,
  options: Pick<QueryOptions, 'chosen' | 'purpose' | 'bindings'> = {},
): boolean {
  const { desired, service } = configuration;
  const { chosen = () => true, bindings = false } = options;
  if (service.dialect === 'iac') return false;
  const resources = [...desired.resources.values()].filter(({ address }) => chosen(address));
  const refs = resourcesOf(resources, 'workspace').flatMap((workspace) =>
    allConsumerRefs(workspace, configuration, options),
  );
  return (
    bindings ||
    policiesUse(configuration, 'tagBindings') ||
    readsEffectiveBindings(configuration) ||
    selectsByBindings(configuration, refs) ||
    resources.some(
      ({ attributes, declared }) => !declared?.absent && attributes['tag-bindings'] !== undefined,
    )
  );
}

/** What a workspace inherits after the plan depends on its project, which can be any. */
function readsEffectiveBindings(configuration: Pick<Configuration, 'policies' | 'service'>): boolean {
  return configuration.service.dialect !== 'iac' && policiesUse(configuration, 'effectiveTagBindings');
}

/** Whether a policy on resources uses a value that is read separately. A policy on changes needs compared values only. */
function policiesUse({ policies = [] }: Pick<Configuration, 'policies'>, field: string): boolean {
  return policies.some(({ on, fields }) => on !== 'change' && on !== 'plan' && fields.includes(field));
}

/** The key/value tags that a workspace inherits after the plan depend on those of all projects. */
function selectsByBindings(
  { scope, guards, holds }: Pick<Configuration, 'guards' | 'holds' | 'scope'>,
  refs: readonly ConsumerRef[],
): boolean {
  if (guards.protect.some(({ selector }) => selector.tagged)) return true;
  if (holds && holdSelectors(holds).some(({ tagged }) => tagged)) return true;
  return scope?.tagged !== undefined || refs.some(isTagged);
}

function isLiveId(id: string | undefined): id is string {
  return id !== undefined && !isUncreatedProject(id);
}

/** No live workspace is in a project that is still to be created. */
function liveScope(scope: LiveScope): LiveScope {
  return scope.projects ? { ...scope, projects: scope.projects.filter(isLiveId) } : scope;
}

/**
 * The reads of a snapshot: everything that a plan or a drift report needs, and the separately read settings of all
 * declared workspaces, so that a change of the files can be planned from it. Without a scope, or for `everything`, that
 * is every workspace.
 */
export function snapshotQueryOf(
  configuration: Configuration,
  {
    everything = false,
    dialect = configuration.service.dialect,
  }: { readonly everything?: boolean; readonly dialect?: Dialect | undefined } = {},
): LiveQuery {
  const { desired, aliases, grantProjects, lookUps } = configuration;
  const needed = liveQueryOf(configuration, { purpose: 'drift' });
  const { names, projects, tags, tagged } = configuration.scope ?? {};
  const isAll = names?.includes('*') && [projects, tags, tagged].every((part) => part === undefined);
  const scope = everything || isAll ? undefined : configuration.scope;
  const isWhole = scope === undefined || needed.whole;
  const open = new Set(lookUps.map(({ placeholder }) => placeholder));
  const workspaces = resourcesOf(desired.resources.values(), 'workspace');
  const declared = workspaces.flatMap(({ attributes: { project } }) => project ?? []);
  const known = [...grantProjects.keys(), ...aliases.projects.values(), ...declared].filter(
    (id) => !open.has(id) && isLiveId(id) && (scope === undefined || hasProject(scope, id)),
  );
  // A move, which may be in a later plan, changes what workspaces inherit from their projects.
  const hasSettings = dialect === 'terraform' || needed.managedProjects !== undefined || needed.bindings;
  const { managedProjects = [] } = needed;
  const settings =
    managedProjects === 'all' || scope?.projects === undefined
      ? ('all' as const)
      : unique([...managedProjects, ...known]);
  return {
    ...needed,
    whole: isWhole,
    names: isWhole ? [] : needed.names,
    scopes: isWhole ? undefined : needed.scopes,
    consumersOf: new Set(workspaces.flatMap(bothNames)),
    managedProjects: hasSettings ? settings : undefined,
    bindings: needed.bindings || dialect === 'terraform',
    projects: unique([...needed.projects, ...known]),
  };
}

function requireIds(needed: readonly LookUp[]): void {
  const open = needed.filter(({ name, placeholder }) => name !== placeholder);
  if (open.length === 0) return;
  const names = open.slice(0, 3).map(({ kind, name }) => `${kind}: ${quote(name)}`);
  throw new AttuneError(`unresolved names: ${names.join(', ')}`, {
    code: 'names-open',
    hint: 'call lookUpNames for the configuration first',
  });
}

function allConsumerRefs(
  workspace: WorkspaceResource,
  { layered }: Pick<Configuration, 'layered'>,
  { purpose }: Pick<QueryOptions, 'purpose'>,
): readonly ConsumerRef[] {
  const own = consumersIn(workspace.attributes['remote-state-consumers']);
  if (purpose !== 'accept') return own;
  const { lower = [] } = layered.get(workspace.address)?.fields.get('remote-state-consumers') ?? {};
  return [...own, ...lower.flatMap(({ value }) => consumersIn(value))];
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
