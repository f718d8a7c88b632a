import type { Limits } from '../desired/configuration.ts';
import { changesOf } from '../model/change.ts';
import type { Diagnostic, SourceLocation } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { type ResourceKind, resourceKinds } from '../model/state.ts';

/** A percentage is not checked below this many live objects, where one change exceeds most limits. */
const leastObjects = 10;
/** The number of addresses that a message names. */
const namedChanges = 3;

/** What is limited: deletes of any kind, deletes of team access alone, and updates. */
export const limitedKinds = ['deletes', 'revokes', 'updates'] as const;
export type LimitedKind = (typeof limitedKinds)[number];

/** The values of `--max-deletes`, `--max-revokes` and `--max-updates`. */
export type LimitOverrides = { readonly [Kind in LimitedKind]?: number | undefined };

/** How many live objects the configuration owns. */
export interface LiveCount {
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
  /** Whether a change counts. */
  readonly counts: (change: PlannedChange) => boolean;
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
    counts: ({ action }) => action === 'delete',
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
    counts: ({ action, kind }) => action === 'delete' && kind === 'team-access',
    verb: 'revokes',
    verbs: 'revoke',
    unit: ' grants',
    isNamed: true,
    review: 'review the revoked access above; to allow it,',
  },
  updates: {
    code: 'too-many-updates',
    flag: '--max-updates',
    counts: ({ action }) => action === 'update',
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
function sharesOf({ changes }: Plan, limit: LimitedKind, live: LiveCount): Share[] {
  const counting = sentChanges(changes).filter(limited[limit].counts);
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
  const diagnostics: Diagnostic[] = [];
  const number = limits[kind];
  if (number !== undefined && count > number) {
    const location = limits.locations?.[kind];
    const what = `the plan ${verb} ${count}${unit}${names && ` (${names})`}`;
    diagnostics.push(
      tooMany(kind, `${what}, and ${allows(`limits.${kind}`, number, location)}`, count, location),
    );
  }
  const allowed = percent && limits[percent.key];
  const exceeding = sharesOf(plan, kind, live).find(
    ({ objects, percentage }) => allowed !== undefined && objects >= leastObjects && percentage > allowed,
  );
  if (percent && allowed !== undefined && exceeding) {
    const location = limits.locations?.[percent.key];
    const { percentage, objects, noun } = exceeding;
    const figures = [`${percentage.toFixed(1)} percent`, ...(names === '' ? [] : [names])].join(': ');
    const what = `the plan ${verb} ${exceeding.count} of ${objects} live ${noun} (${figures})`;
    diagnostics.push(
      tooMany(kind, `${what}, and ${allows(percent.name, allowed, location)}`, count, location),
    );
  }
  return diagnostics;
}

export interface RunLimits<Planned> {
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
    const kind = limitedKinds.find((one) => limited[one].code === code);
    if (kind === undefined) return diagnostic;
    const hint = overrideHint(kind, sumOf(plans, kind));
    return { ...diagnostic, message: location ? message : `${rootFile}: ${message}`, hint };
  };
}

/** A limit without a line in the files is the default. */
function allows(limit: string, value: number, location: SourceLocation | undefined): string {
  return `${limit} allows ${value}${location === undefined ? ' by default' : ''}`;
}

function countOf({ changes }: Plan, kind: LimitedKind): number {
  return sentChanges(changes).filter(limited[kind].counts).length;
}

function sumOf(plans: readonly Plan[], kind: LimitedKind): number {
  return plans.reduce((sum, plan) => sum + countOf(plan, kind), 0);
}

/** The first changes that count. */
function namesOf({ changes }: Plan, kind: LimitedKind): string {
  const { counts, isNamed } = limited[kind];
  if (!isNamed) return '';
  const addresses = sentChanges(changes)
    .filter(counts)
    .map(({ address }) => address);
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
  return {
    severity: 'error',
    code: limited[kind].code,
    message,
    ...(location && { location }),
    hint: overrideHint(kind, count),
  };
}

function overrideHint(kind: LimitedKind, count: number): string {
  const { review, flag } = limited[kind];
  return `${review} pass ${flag} ${count}`;
}
