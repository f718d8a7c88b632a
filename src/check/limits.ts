import { countKnown, type LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { type Action, changesOf } from '../model/change.ts';
import type { Configuration, Limits, LiveScope } from '../model/configuration.ts';
import { type Diagnostic, problem, type SourceLocation } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { isUncreatedProject, type ResourceKind, resourceKinds, resourcesOf } from '../model/state.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import type { Check, LimitOverrides, Pass } from './check.ts';

/** A percentage is not checked below this many live objects, where one change exceeds most limits. */
const leastObjects = 10;
/** The number of addresses that a message names. */
const namedChanges = 3;

/** What is limited: deletes of any kind, deletes of team access alone, and updates. */
const limitedKinds = ['deletes', 'revokes', 'updates'] as const;
type LimitedKind = (typeof limitedKinds)[number];

/** How many live objects the configuration owns. */
interface LiveCount {
  /** In scope; without a scope, those of the organization. */
  readonly workspaces: number;
  /** Of declared projects. */
  readonly grants: number;
  /** Managed ones. A project that was read for a guard or a selector is not among them. */
  readonly projects: number;
}

const countedKinds: Readonly<Record<ResourceKind, keyof LiveCount>> = {
  project: 'projects',
  workspace: 'workspaces',
  'team-access': 'grants',
};

interface LimitedChanges {
  readonly code: string;
  /** The flag that overrides the limits. */
  readonly flag: string;
  /** The changes that count: those of an action, and of these kinds. */
  readonly action: Action;
  readonly kinds: readonly ResourceKind[];
  /** What a plan does with the changes: "the plan deletes 3". */
  readonly verb: string;
  /** What several plans do with them. */
  readonly verbs: string;
  /** What is counted, after the number; empty if the verb is enough. */
  readonly unit: string;
  /** Whether the message names the changes. Deletes are the first risks that a report lists. */
  readonly isNamed: boolean;
  readonly review: string;
  readonly percent?: { readonly key: 'deletePercent' | 'updatePercent'; readonly name: string };
}

const limited: Readonly<Record<LimitedKind, LimitedChanges>> = {
  deletes: {
    code: 'too-many-deletes',
    flag: '--max-deletes',
    action: 'delete',
    kinds: resourceKinds,
    verb: 'deletes',
    verbs: 'delete',
    unit: '',
    isNamed: false,
    review: 'review the deletions above; to allow them,',
    percent: { key: 'deletePercent', name: 'limits.delete-percent' },
  },
  revokes: {
    code: 'too-many-revokes',
    flag: '--max-revokes',
    action: 'delete',
    kinds: ['team-access'],
    verb: 'revokes',
    verbs: 'revoke',
    unit: ' grants',
    isNamed: true,
    review: 'review the revoked access above; to allow it,',
  },
  updates: {
    code: 'too-many-updates',
    flag: '--max-updates',
    action: 'update',
    kinds: resourceKinds,
    verb: 'updates',
    verbs: 'update',
    unit: '',
    isNamed: true,
    review: 'review the updates above; to allow them,',
    percent: { key: 'updatePercent', name: 'limits.update-percent' },
  },
};

/**
 * Whether the limits of a plan may need a count of the live workspaces. No count is needed if the known objects
 * already keep each share within its limit, because more objects only make it smaller.
 */
export function needsCount(plan: Plan, limits: Limits, known: LiveCount, overrides: LimitOverrides): boolean {
  return limitedKinds.some((kind) => {
    const { percent } = limited[kind];
    const allowed = percent && limits[percent.key];
    if (overrides[kind] !== undefined || allowed === undefined) return false;
    return sharesOf(plan, kind, known).some(({ percentage }) => percentage > allowed);
  });
}

/** The changes of a plan that are limited, among the objects that the configuration owns. */
interface Share {
  readonly count: number;
  readonly objects: number;
  /** What the objects are called. */
  readonly noun: string;
  readonly percentage: number;
}

/**
 * The shares of all objects and of each kind that changes. Grants are many, so that among all objects they would hide the
 * deletion of most workspaces.
 */
function sharesOf(plan: Plan, limit: LimitedKind, live: LiveCount): Share[] {
  const counting = countedChanges(plan, limit);
  const shareOf = (count: number, objects: number, noun: string): Share => ({
    count,
    objects,
    noun,
    percentage: objects === 0 ? 100 : (count * 100) / objects,
  });
  const ofKinds = resourceKinds.map((kind) => {
    const noun = countedKinds[kind];
    return shareOf(changesOf(counting, kind).length, live[noun], noun);
  });
  const all = live.workspaces + live.grants + live.projects;
  return [shareOf(counting.length, all, 'objects'), ...ofKinds].filter(({ count }) => count > 0);
}

/** Returns an error for each limit that a plan exceeds. An override replaces the number and the percentage of its kind. */
export function checkLimits(
  plan: Plan,
  limits: Limits,
  live: LiveCount,
  overrides: LimitOverrides = {},
): Diagnostic[] {
  return limitedKinds.flatMap((kind) => {
    if (countOf(plan, kind) === 0) return [];
    const allowed = overrides[kind];
    return allowed === undefined
      ? checkConfigured(plan, kind, { limits, live })
      : checkRun([plan], kind, allowed);
  });
}

function checkConfigured(
  plan: Plan,
  kind: LimitedKind,
  { limits, live }: { readonly limits: Limits; readonly live: LiveCount },
): Diagnostic[] {
  const { verb, unit, percent } = limited[kind];
  const count = countOf(plan, kind);
  const names = namesOf(plan, kind);
  const refusal = (what: string, name: string, value: number, location: SourceLocation | undefined) => {
    // A limit without a line in the files is the default.
    const allows = `${name} allows ${value}${location === undefined ? ' by default' : ''}`;
    return tooMany(kind, `the plan ${verb} ${what}, and ${allows}`, count, location);
  };
  const number = limits[kind];
  const allowed = percent && limits[percent.key];
  const exceeding = sharesOf(plan, kind, live).find(
    ({ objects, percentage }) => allowed !== undefined && objects >= leastObjects && percentage > allowed,
  );
  const diagnostics: Diagnostic[] = [];
  if (number !== undefined && count > number) {
    const what = `${count}${unit}${names && ` (${names})`}`;
    diagnostics.push(refusal(what, `limits.${kind}`, number, limits.locations?.[kind]));
  }
  if (percent && allowed !== undefined && exceeding) {
    const { percentage, objects, noun } = exceeding;
    const figures = [`${percentage.toFixed(1)} percent`, ...(names === '' ? [] : [names])].join(': ');
    const what = `${exceeding.count} of ${objects} live ${noun} (${figures})`;
    diagnostics.push(refusal(what, percent.name, allowed, limits.locations?.[percent.key]));
  }
  return diagnostics;
}

/** Checks `limits`, and the limits on the command line. */
export const limits: Check = {
  codes: limitedKinds.map((kind) => limited[kind].code),
  isOfRoot: true,
  async find(pass) {
    const { configuration, live, plan, overrides } = pass;
    const known = knownCount(configuration, live);
    const isEnough = !needsCount(plan, configuration.limits, known, overrides);
    return checkLimits(plan, configuration.limits, isEnough ? known : await wholeCount(pass), overrides);
  },
};

/** Grants that were read only for the effects of moves do not count. */
function knownCount(
  { scope, desired, grantProjects }: Pick<Configuration, 'scope' | 'desired' | 'grantProjects'>,
  live: Live,
): LiveCount {
  const grants = resourcesOf(live.state.resources.values(), 'team-access').filter(({ attributes }) =>
    grantProjects.has(attributes.project),
  ).length;
  const managed = new Set(resourcesOf(desired.resources.values(), 'project').map(({ id }) => id));
  const projects = resourcesOf(live.state.resources.values(), 'project').filter(({ id }) => managed.has(id));
  return { workspaces: countKnown(live, scope), grants, projects: projects.length };
}

/** All objects that the limits count, even if `only` excludes them from the run. */
async function wholeCount(pass: Pass): Promise<LiveCount> {
  const { live, source, query, request } = pass;
  const configuration = await resolveNames(pass.configuration, {
    ...request,
    source,
    also: ['grant-projects'],
  });
  const { scope, desired, grantProjects } = configuration;
  const known = knownCount(configuration, live);
  const unread = [...grantProjects.keys()].filter(
    (project) => !query.projects.includes(project) && !isUncreatedProject(project),
  );
  const [workspaces, ...grants] = await Promise.all([
    countAll(source, desired.organization, scope, live),
    ...unread.map((project) => source.countGrants(project)),
  ]);
  return { ...known, workspaces, grants: grants.reduce((sum, count) => sum + count, known.grants) };
}

async function countAll(
  source: LiveSource,
  organization: string,
  scope: LiveScope | undefined,
  live: Live,
): Promise<number> {
  if (scope === undefined && live.workspaceTotal !== undefined) return live.workspaceTotal;
  if (live.whole || (scope && live.scopeWhole)) return countKnown(live, scope);
  return source.countWorkspaces(organization, scope);
}

interface RunLimits<Planned> {
  /** The limits on the command line. */
  readonly overrides: LimitOverrides;
  /** How the root file of a plan is shown. */
  readonly rootFile: (planned: Planned) => string;
}

/**
 * Checks the limits on the command line against all plans of one run. Each error is added to the last plan with such a
 * change. The limits of each root file were checked before.
 */
export function limitRun<Planned extends { readonly plan: Plan }>(
  planned: readonly Planned[],
  { overrides, rootFile }: RunLimits<Planned>,
): readonly Planned[] {
  const plans = planned.map(({ plan }) => plan);
  const refused = limitedKinds.flatMap((kind) => {
    const allowed = overrides[kind];
    const last = planned.findLast(({ plan }) => countOf(plan, kind) > 0);
    return allowed === undefined ? [] : checkRun(plans, kind, allowed).map((error) => ({ error, last }));
  });
  return planned.map((one) => {
    const own =
      plans.length > 1 ? one.plan.diagnostics.map(inRun(plans, rootFile(one))) : one.plan.diagnostics;
    const added = refused.flatMap(({ error, last }) => (last === one ? [error] : []));
    return { ...one, plan: { ...one.plan, diagnostics: [...own, ...added] } };
  });
}

/** Beside other plans, a limit names its root file, and the hint has the number that lets the whole run pass. */
function inRun(plans: readonly Plan[], rootFile: string): (diagnostic: Diagnostic) => Diagnostic {
  return (diagnostic) => {
    const { code, location, message } = diagnostic;
    const limit = limitedKinds.find((one) => limited[one].code === code);
    if (limit === undefined) return diagnostic;
    const hint = overrideHint(limit, sumOf(plans, limit));
    return { ...diagnostic, message: location ? message : `${rootFile}: ${message}`, hint };
  };
}

function countedChanges({ changes }: Plan, limit: LimitedKind): readonly PlannedChange[] {
  const { action, kinds } = limited[limit];
  return sentChanges(changes).filter((change) => change.action === action && kinds.includes(change.kind));
}

function countOf(plan: Plan, kind: LimitedKind): number {
  return countedChanges(plan, kind).length;
}

function sumOf(plans: readonly Plan[], kind: LimitedKind): number {
  return plans.reduce((sum, plan) => sum + countOf(plan, kind), 0);
}

/** The first changes that count. */
function namesOf(plan: Plan, kind: LimitedKind): string {
  if (!limited[kind].isNamed) return '';
  const addresses = countedChanges(plan, kind).map(({ address }) => address);
  const rest = addresses.length - namedChanges;
  const named = addresses.slice(0, namedChanges).join(', ');
  return `${named}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function checkRun(plans: readonly Plan[], kind: LimitedKind, allowed: number): Diagnostic[] {
  const { verb, verbs, unit, flag } = limited[kind];
  const counts = plans.map((plan) => countOf(plan, kind));
  const count = sumOf(plans, kind);
  if (count <= allowed) return [];
  const [plan, ...others] = plans;
  const names = plan && others.length === 0 ? namesOf(plan, kind) : '';
  const what =
    others.length === 0
      ? `the plan ${verb} ${count}${unit}${names && ` (${names})`}`
      : `the ${counts.length} plans of this run ${verbs} ${count}${unit} together (${counts.join(' + ')})`;
  return [tooMany(kind, `${what}, and ${flag} allows ${allowed}`, count)];
}

function tooMany(
  kind: LimitedKind,
  message: string,
  count: number,
  location?: SourceLocation | undefined,
): Diagnostic {
  return problem(limited[kind].code, message, { at: location, hint: overrideHint(kind, count) });
}

function overrideHint(kind: LimitedKind, count: number): string {
  const { review, flag } = limited[kind];
  return `${review} pass ${flag} ${count}`;
}
