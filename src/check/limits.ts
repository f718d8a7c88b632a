import { countInScope } from '../live/live-query.ts';
import type { Live } from '../live/read-live.ts';
import { type Action, changesOf } from '../model/change.ts';
import type { Configuration, Limits } from '../model/configuration.ts';
import { type Diagnostic, problem, type SourceLocation } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { isUncreatedProject, type ResourceKind, resourceKinds, resourcesOf } from '../model/state.ts';
import { firstNames } from '../model/text.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import type { Check, LimitOverrides, Pass } from './check.ts';

/** A percentage is not checked below this many live objects, where one change exceeds most limits. */
const leastObjects = 10;

interface LimitedChanges {
  readonly action: Action;
  readonly kinds: readonly ResourceKind[];
  readonly verb: string;
  readonly unit: string;
  readonly isNamed: boolean;
  readonly review: string;
  readonly percent?: { readonly key: 'deletePercent' | 'updatePercent'; readonly name: string };
}

const limited = {
  deletes: {
    action: 'delete',
    kinds: resourceKinds,
    verb: 'delete',
    unit: '',
    isNamed: false,
    review: 'review the deletions above; to allow them,',
    percent: { key: 'deletePercent', name: 'limits.delete-percent' },
  },
  revokes: {
    action: 'delete',
    kinds: ['team-access'],
    verb: 'revoke',
    unit: ' grants',
    isNamed: true,
    review: 'review the revoked access above; to allow it,',
  },
  updates: {
    action: 'update',
    kinds: resourceKinds,
    verb: 'update',
    unit: '',
    isNamed: true,
    review: 'review the updates above; to allow them,',
    percent: { key: 'updatePercent', name: 'limits.update-percent' },
  },
} as const satisfies Record<string, LimitedChanges>;

type LimitedKind = keyof typeof limited;
const limitedKinds = Object.keys(limited) as readonly LimitedKind[];
const codeOf = (kind: LimitedKind) => `too-many-${kind}`;

/** Of managed projects: one that was read for a guard or a selector is not among them. */
type LiveCount = Readonly<Record<'workspaces' | 'grants' | 'projects', number>>;

const countedKinds: Readonly<Record<ResourceKind, keyof LiveCount>> = {
  project: 'projects',
  workspace: 'workspaces',
  'team-access': 'grants',
};

/** `limits`, and the limits on the command line, which replace the number and the percentage of their kind. */
export const limits: Check = {
  codes: limitedKinds.map(codeOf),
  isOfRoot: true,
  async find(pass) {
    const { configuration, live, plan, overrides } = pass;
    const { limits } = configuration;
    const known = knownCount(configuration, live);
    // More objects only make a share smaller, so no count is needed if the known ones keep it within its limit.
    const isUnclear = limitedKinds.some(
      (kind) => overrides[kind] === undefined && sharesOver(plan, kind, limits, known).length > 0,
    );
    const count = isUnclear ? await wholeCount(pass) : known;
    return limitedKinds.flatMap((kind) => {
      const allowed = overrides[kind];
      return allowed === undefined
        ? checkConfigured(plan, kind, { limits, live: count })
        : checkRun([plan], kind, allowed);
    });
  },
};

/**
 * The shares of all objects and of each kind that exceed a percentage. Grants are many, so that among all objects they would
 * hide the deletion of most workspaces.
 */
function sharesOver(plan: Plan, kind: LimitedKind, limits: Limits, live: LiveCount) {
  const { percent }: LimitedChanges = limited[kind];
  const allowed = percent && limits[percent.key];
  if (allowed === undefined) return [];
  const counting = countedChanges(plan, kind);
  const all = { count: counting.length, objects: live.workspaces + live.grants + live.projects };
  const ofKinds = resourceKinds.map((one) => {
    const noun = countedKinds[one];
    return { count: changesOf(counting, one).length, objects: live[noun], noun };
  });
  return [{ ...all, noun: 'objects' }, ...ofKinds]
    .map((one) => ({ ...one, percentage: one.objects === 0 ? 100 : (one.count * 100) / one.objects }))
    .filter(({ count, percentage }) => count > 0 && percentage > allowed);
}

function checkConfigured(
  plan: Plan,
  kind: LimitedKind,
  { limits, live }: { readonly limits: Limits; readonly live: LiveCount },
): Diagnostic[] {
  const { verb, unit, percent }: LimitedChanges = limited[kind];
  const changes = countedChanges(plan, kind);
  const { length: count } = changes;
  const names = namesOf(changes, kind);
  const refusal = (what: string, name: string, key: keyof NonNullable<Limits['locations']>) => {
    const location = limits.locations?.[key];
    // A limit without a line in the files is the default.
    const allows = `${name} allows ${limits[key]}${location === undefined ? ' by default' : ''}`;
    return tooMany(kind, `the plan ${verb}s ${what}, and ${allows}`, count, location);
  };
  const number = limits[kind];
  const exceeding = sharesOver(plan, kind, limits, live).find(({ objects }) => objects >= leastObjects);
  const diagnostics: Diagnostic[] = [];
  if (number !== undefined && count > number)
    diagnostics.push(refusal(`${count}${unit}${names && ` (${names})`}`, `limits.${kind}`, kind));
  if (percent && exceeding) {
    const { percentage, objects, noun } = exceeding;
    const figures = `${percentage.toFixed(1)} percent${names && `: ${names}`}`;
    const what = `${exceeding.count} of ${objects} live ${noun} (${figures})`;
    diagnostics.push(refusal(what, percent.name, percent.key));
  }
  return diagnostics;
}

/** Grants that were read only for the effects of moves do not count. */
function knownCount(
  { scope, desired, grantProjects }: Pick<Configuration, 'scope' | 'desired' | 'grantProjects'>,
  live: Live,
): LiveCount {
  const resources = [...live.state.resources.values()];
  const grants = resourcesOf(resources, 'team-access').filter(({ attributes: { project } }) =>
    grantProjects.has(project),
  );
  const managed = new Set(resourcesOf(desired.resources.values(), 'project').map(({ id }) => id));
  const projects = resourcesOf(resources, 'project').filter(({ id }) => managed.has(id));
  return {
    workspaces: countInScope(live.state.resources.values(), live.dialect, scope),
    grants: grants.length,
    projects: projects.length,
  };
}

async function wholeCount(pass: Pass): Promise<LiveCount> {
  const { live, source, query, request } = pass;
  const also = ['grant-projects'] as const;
  const configuration = await resolveNames(pass.configuration, { ...request, source, also });
  const { scope, desired, grantProjects } = configuration;
  const known = knownCount(configuration, live);
  const unread = [...grantProjects.keys()].filter(
    (project) => !query.projects.includes(project) && !isUncreatedProject(project),
  );
  const isRead = live.whole || (scope !== undefined && live.scopeWhole);
  const total = scope === undefined ? live.workspaceTotal : undefined;
  const [workspaces, ...grants] = await Promise.all([
    total ?? (isRead ? known.workspaces : source.countWorkspaces(desired.organization, scope)),
    ...unread.map((project) => source.countGrants(project)),
  ]);
  return { ...known, workspaces, grants: grants.reduce((sum, count) => sum + count, known.grants) };
}

/**
 * Checks the limits on the command line against all plans of one run. Each error is added to the last plan with such a
 * change. The limits of each root file were checked before: beside others, they name it, and hint at the figure of the run.
 */
export function limitRun(
  plans: readonly Plan[],
  overrides: LimitOverrides,
  roots: readonly string[],
): readonly Plan[] {
  const refused = limitedKinds.flatMap((kind) => {
    const allowed = overrides[kind];
    const last = plans.findLast((plan) => countedChanges(plan, kind).length > 0);
    return allowed === undefined ? [] : checkRun(plans, kind, allowed).map((error) => ({ error, last }));
  });
  const inRun = (diagnostic: Diagnostic, root: string): Diagnostic => {
    const { code, location, message } = diagnostic;
    const kind = limitedKinds.find((one) => codeOf(one) === code);
    if (kind === undefined || plans.length === 1) return diagnostic;
    const { length: count } = plans.flatMap((plan) => countedChanges(plan, kind));
    return { ...diagnostic, message: location ? message : `${root}: ${message}`, hint: hintOf(kind, count) };
  };
  return plans.map((plan, index) => {
    const own = plan.diagnostics.map((one) => inRun(one, roots[index] ?? ''));
    const added = refused.flatMap(({ error, last }) => (last === plan ? error : []));
    return { ...plan, diagnostics: [...own, ...added] };
  });
}

function checkRun(plans: readonly Plan[], kind: LimitedKind, allowed: number): Diagnostic[] {
  const { verb, unit } = limited[kind];
  const changes = plans.flatMap((plan) => countedChanges(plan, kind));
  const { length: count } = changes;
  if (count <= allowed) return [];
  const names = namesOf(changes, kind);
  const who = plans.length === 1 ? `the plan ${verb}s` : `the ${plans.length} plans of this run ${verb}`;
  const what = `${who} ${count}${unit}${names && ` (${names})`}`;
  return [tooMany(kind, `${what}, and --max-${kind} allows ${allowed}`, count)];
}

function countedChanges({ changes }: Plan, kind: LimitedKind): readonly PlannedChange[] {
  const { action, kinds }: LimitedChanges = limited[kind];
  return sentChanges(changes).filter((change) => change.action === action && kinds.includes(change.kind));
}

function namesOf(changes: readonly PlannedChange[], kind: LimitedKind): string {
  return limited[kind].isNamed
    ? firstNames(
        changes.map(({ address }) => address),
        3,
      )
    : '';
}

function tooMany(kind: LimitedKind, message: string, count: number, at?: SourceLocation): Diagnostic {
  return problem(codeOf(kind), message, { at, hint: hintOf(kind, count) });
}

function hintOf(kind: LimitedKind, count: number): string {
  return `${limited[kind].review} pass --max-${kind} ${count}`;
}
