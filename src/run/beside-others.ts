import { located } from '../diff/comparison.ts';
import { destroyDuration } from '../model/attributes.ts';
import { changesOf } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, problem, warning } from '../model/diagnostic.ts';
import { asListRule } from '../model/list-rule.ts';
import { type Plan, type PlannedChange, sentChanges, type UndeclaredGrant } from '../model/plan.ts';
import {
  type ConsumerRef,
  findWorkspace,
  type ResourceKind,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { matchesAddress } from '../model/wildcard.ts';
import { planningOf } from '../plan/kinds.ts';
import { looksAtGrants } from '../resolve/plan-request.ts';
import { isSameOrganization } from '../service/address.ts';

/**
 * The kinds whose resources are compared with those of another root file in the same run: both can declare the same
 * project, or the same team and project, or one can prune a grant that the other declares. Then all names of these kinds
 * are looked up in both.
 */
export function comparedKinds(
  configuration: Configuration,
  all: readonly Configuration[],
  only: readonly string[] | undefined,
): ReadonlySet<ResourceKind> {
  const others = all.filter((other) => other !== configuration && isSameOrganization(configuration, other));
  const declared = (kind: ResourceKind, { desired }: Configuration) =>
    resourcesOf(desired.resources.values(), kind).map(({ address }) => address);
  const isLooked = (address: string) =>
    only === undefined || only.length === 0 || only.some((glob) => matchesAddress(glob, address));
  const comparesProjects =
    others.some((other) => declared('project', other).length > 0) &&
    [configuration, ...others].some((one) => declared('project', one).some(isLooked));
  const comparesGrants =
    looksAtGrants(only) &&
    others.some((other) => other.prune.teamAccess || declared('team-access', other).length > 0);
  return new Set([
    ...(comparesProjects ? ['project' as const] : []),
    ...(comparesGrants ? ['team-access' as const] : []),
  ]);
}

/**
 * The plans of several root files, compared with one another and with those that have no plan. It is an error to prune
 * a resource that another root file declares. A resource that any root file declares is not reported as undeclared, and
 * an undeclared grant is reported for the first root file that declares access to its project. A consumer that another root
 * file renames is a warning.
 */
export function besideOthers<Planned extends { readonly configuration: Configuration; readonly plan: Plan }>(
  planned: readonly Planned[],
  unplanned: readonly Configuration[] = [],
): Planned[] {
  const all = [...planned.map(({ configuration }) => configuration), ...unplanned];
  return planned.map((one) => {
    const isSame = (other: Configuration) =>
      other !== one.configuration && isSameOrganization(one.configuration, other);
    const reported = planned
      .slice(0, planned.indexOf(one))
      .filter(({ configuration }) => isSame(configuration))
      .flatMap(({ plan }) => plan.undeclaredAccess ?? []);
    const declared = new Set([
      ...all
        .filter(isSame)
        .flatMap(({ desired }) => [...desired.resources.values()])
        .flatMap((resource) => planningOf(resource.kind).identities(resource)),
      ...reported.map(identityOf),
    ]);
    if (declared.size === 0) return one;
    const { plan } = one;
    const pruned = sentChanges(plan.changes)
      .filter(({ action, location }) => action === 'delete' && location === undefined)
      .filter((change) => declared.has(planningOf(change.kind).liveIdentity(change)));
    return {
      ...one,
      plan: {
        ...withoutDeclared(plan, declared),
        diagnostics: [
          ...plan.diagnostics,
          ...pruned.map(prunedElsewhere),
          ...renamedElsewhere(
            one.configuration,
            planned.filter(({ configuration }) => isSame(configuration)),
          ),
        ],
      },
    };
  });
}

/** What plans of other root files of the organization change, and the plan of a root file depends on. */
export interface ChangedElsewhere {
  /** The names of the workspaces that they delete, by id. */
  readonly deleted: ReadonlyMap<string, string>;
  /** The ids of the projects whose destroy schedule they change. */
  readonly rescheduled: ReadonlySet<string>;
}

export function changedElsewhere(
  configuration: Configuration,
  others: readonly { readonly configuration: Configuration; readonly plan: Plan }[],
): ChangedElsewhere {
  const changes = others
    .filter((other) => isSameOrganization(other.configuration, configuration))
    .flatMap(({ plan }) => sentChanges(plan.changes));
  const deleted = changesOf(changes, 'workspace')
    // Another check reports a workspace that one root file declares and another one prunes.
    .filter(({ action, address }) => action === 'delete' && !configuration.desired.resources.has(address));
  const rescheduled = changesOf(changes, 'project').filter(
    ({ action, fields }) => action === 'update' && fields.some(({ path }) => path === destroyDuration),
  );
  return {
    deleted: new Map(deleted.flatMap(({ id, name }) => (id === undefined ? [] : [[id, name] as const]))),
    rescheduled: new Set(rescheduled.flatMap(({ id }) => id ?? [])),
  };
}

/** Whether a plan has to be made again, because it does not know what other plans change. */
export function dependsOnOthers(
  configuration: Configuration,
  plan: Plan,
  { deleted, rescheduled }: ChangedElsewhere,
): boolean {
  return listsConsumer(configuration, plan, deleted) || declaresSchedule(configuration, rescheduled);
}

/** Whether the files declare a destroy schedule that a workspace can inherit from one of these projects. */
function declaresSchedule({ desired }: Configuration, projects: ReadonlySet<string>): boolean {
  if (projects.size === 0) return false;
  return resourcesOf(desired.resources.values(), 'workspace').some(
    ({ attributes: { project, [destroyDuration]: own } }) =>
      own && (project === undefined || projects.has(project)),
  );
}

/** Whether a list of consumers that the files declare has one of these workspaces after a plan. */
function listsConsumer(
  { desired }: Configuration,
  { overview }: Plan,
  consumers: ReadonlyMap<string, string>,
): boolean {
  const names = new Set(consumers.values());
  const isOne = (ref: ConsumerRef) => typeof ref !== 'string' || names.has(ref) || consumers.has(ref);
  return overview.workspaces.some(({ name, readers: { after } }) => {
    if (!Array.isArray(after) || !after.some((reader) => names.has(reader))) return false;
    return declaredConsumers(findWorkspace(desired, name)).some(isOne);
  });
}

/** A workspace is compared by its address, and a grant by its ids: another root file can have other aliases. */
function withoutDeclared(plan: Plan, declared: ReadonlySet<string>): Plan {
  const { undeclaredAccess = [], ...rest } = plan;
  const identities = new Map(undeclaredAccess.map((grant) => [grant.address, identityOf(grant)]));
  const isUndeclared = (address: string) => !declared.has(identities.get(address) ?? address.toLowerCase());
  const access = undeclaredAccess.filter(({ address }) => isUndeclared(address));
  return {
    ...rest,
    unmanaged: plan.unmanaged.filter(isUndeclared),
    ...(access.length > 0 && { undeclaredAccess: access }),
  };
}

function identityOf({ projectId, teamId }: UndeclaredGrant): string {
  return `${projectId}/${teamId}`;
}

const pruneHints: Readonly<Record<ResourceKind, string>> = {
  workspace: 'narrow the scope, or declare everything that is pruned together in one root file',
  'team-access': 'set prune.team-access to false, or declare all access to the project in one root file',
  project: 'manage the project in one root file',
};

/** The consumers that a root file declares by names which plans of other root files change. */
function renamedElsewhere(
  { desired }: Configuration,
  others: readonly { readonly plan: Plan }[],
): Diagnostic[] {
  const changes = changesOf(
    others.flatMap(({ plan }) => sentChanges(plan.changes)),
    'workspace',
  );
  const renamed = new Map(
    changes.flatMap(({ name, action, fields }) => {
      const former = action === 'update' && fields.find(({ path }) => path === 'name')?.before;
      return typeof former === 'string' ? [[former, name] as const] : [];
    }),
  );
  if (renamed.size === 0) return [];
  return resourcesOf(desired.resources.values(), 'workspace').flatMap((workspace) =>
    declaredConsumers(workspace).flatMap((ref): Diagnostic[] => {
      const name = typeof ref === 'string' ? renamed.get(ref) : undefined;
      if (name === undefined) return [];
      return [
        warning(
          'former-name',
          `"${ref}" is renamed to "${name}" by another root file: the next plan does not find this consumer by its former name`,
          { at: located(workspace, consumersPath), hint: `after the apply, write "${name}"` },
        ),
      ];
    }),
  );
}

function declaredConsumers(workspace: WorkspaceResource | undefined): readonly ConsumerRef[] {
  const rule = asListRule<ConsumerRef>(workspace?.attributes[consumersPath]);
  if (rule === undefined) return [];
  return 'exactly' in rule ? rule.exactly : rule.add;
}

const consumersPath = 'remote-state-consumers';

function prunedElsewhere({ address, kind }: PlannedChange): Diagnostic {
  return problem(
    'pruned-elsewhere',
    `${address} would be pruned, but another root file of this run declares it`,
    { at: { address }, hint: pruneHints[kind] },
  );
}
