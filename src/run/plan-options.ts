import { limitRun } from '../check/limits.ts';
import { readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/read-live.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import { AttuneError, note } from '../model/diagnostic.ts';
import { matchesAddress } from '../model/selector.ts';
import { findAmong } from '../model/state.ts';
import { withParts } from '../plan/divide.ts';
import { namesText } from '../report/values.ts';
import { type PlannedRoot, refuseUnmatched, unmatchedOnly } from '../resolve/plan-request.ts';
import type { RunContext } from './context.ts';
import type { PlanResolvedOptions } from './make-plan.ts';
import type { ConfiguredPlan } from './report-entry.ts';

/** What all plans of a run share: one time decides for all of them, and what is limited together is not limited per plan. */
export type SharedPlanOptions = Pick<
  PlanResolvedOptions,
  'now' | 'at' | 'due' | 'overrideFreeze' | 'maxDeletes' | 'maxRevokes' | 'maxUpdates'
>;

export function sharedPlanOptions({ io, options }: Pick<RunContext, 'io' | 'options'>): SharedPlanOptions {
  const { at, due, overrideFreeze, maxDeletes, maxRevokes, maxUpdates } = options;
  return {
    now: io.date(),
    at,
    due,
    overrideFreeze,
    maxDeletes: lifted(maxDeletes),
    maxRevokes: lifted(maxRevokes),
    maxUpdates: lifted(maxUpdates),
  };
}

function lifted(limit: number | undefined): number | undefined {
  return limit === undefined ? undefined : Number.POSITIVE_INFINITY;
}

/** The plans with the limits of the command line, which count over the parts of all. */
export function limitParts<Limited extends ConfiguredPlan>(
  planned: readonly Limited[],
  { options }: RunContext,
  nameOf: (root: Configuration) => string,
): readonly Limited[] {
  const { maxDeletes: deletes, maxRevokes: revokes, maxUpdates: updates } = options;
  const parts = planned.flatMap((one) => one.parts);
  const roots = planned.flatMap(({ configuration }) => rootsOf(configuration).map(nameOf));
  const limited = [...limitRun(parts, { deletes, revokes, updates }, roots)];
  return planned.map((one) => ({ ...one, ...withParts(one.plan, limited.splice(0, one.parts.length)) }));
}

type PlannedFrom = ConfiguredPlan & PlannedRoot & { readonly source: Pick<LiveSource, 'read'> };

/** Refuses patterns of `--only` that match nothing declared or live. Only what no plan matches is read for that, and has a note. */
export async function withUndeclared<Planned extends PlannedFrom>(
  planned: readonly Planned[],
  context: RunContext,
): Promise<readonly Planned[]> {
  const isUnmatched = (pattern: string) => unmatchedOnly([pattern], planned).length > 0;
  const patterns = (context.options.only ?? []).filter(isUnmatched);
  if (patterns.length === 0) return planned;
  const read = planned.map(async (one) => ({ ...one, live: await readMatching(patterns, one) }));
  const found = await Promise.all(read);
  refuseUnmatched(patterns, found);
  return found.map((one) => {
    if (one.live.length === 0) return one;
    const message = `--only matches live workspaces that no file declares: ${namesText(one.live)}`;
    const renamed = findAmong(one.configuration.desired.resources.values())(one.live);
    const hint = renamed
      ? `use --only ${renamed.address}, which the files rename`
      : 'extend `scope` if there is one, then run `attune import --update` with the same --only';
    const noted = note('only-undeclared', message, { hint });
    const parts = one.parts.map((part, index) =>
      index === 0 ? { ...part, diagnostics: [...part.diagnostics, noted] } : part,
    );
    return { ...one, ...withParts(one.plan, parts) };
  });
}

/** The undeclared workspaces that patterns match. */
async function readMatching(patterns: readonly string[], { configuration, source }: PlannedFrom) {
  const { desired, service } = configuration;
  const globs = addressPatterns(patterns, configuration);
  const names = globs.flatMap((glob) => /^(?:workspace\.|(?=\*))([\w*?-]+)$/.exec(glob)?.[1] ?? []);
  if (names.length === 0) return [];
  const wild = names.filter((name) => /[*?]/.test(name)).map((name) => name.replaceAll('?', '*'));
  const about = { organization: desired.organization, dialect: service.dialect, ...readsNothing };
  const scopes = wild.length > 0 ? [{ names: wild }] : undefined;
  const live = await source
    .read({ ...about, names: names.filter((name) => !/[*?]/.test(name)), scopes })
    .catch((error: unknown) => {
      // A snapshot can lack undeclared workspaces.
      if (!(error instanceof AttuneError && error.code === 'bad-snapshot')) throw error;
    });
  const addresses = [...(live?.state.resources.keys() ?? [])];
  return addresses.filter((address) => globs.some((glob) => matchesAddress(glob, address)));
}
