import { readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import { AttuneError, note } from '../model/diagnostic.ts';
import { matchesAddress } from '../model/selector.ts';
import { withParts } from '../plan/divide.ts';
import { namesText } from '../report/values.ts';
import { type PlannedRoot, refuseUnmatched, unmatchedOnly } from '../resolve/plan-request.ts';
import type { RunContext } from './context.ts';
import type { ConfiguredPlan } from './report-entry.ts';

type PlannedFrom = ConfiguredPlan & PlannedRoot & { readonly source: Pick<LiveSource, 'read'> };

/** Refuses patterns of `--only` that match nothing declared or live. Only what no plan matches is read for that, and has a note. */
export async function withUndeclared<Planned extends PlannedFrom>(
  planned: readonly Planned[],
  context: RunContext,
): Promise<readonly Planned[]> {
  const option = context.named('only');
  const isUnmatched = (pattern: string) => unmatchedOnly([pattern], planned, option).length > 0;
  const patterns = (context.options.only ?? []).filter(isUnmatched);
  if (patterns.length === 0) return planned;
  const read = planned.map(async (one) => ({ ...one, live: await readMatching(patterns, one) }));
  const found = await Promise.all(read);
  refuseUnmatched(patterns, found, option);
  return found.map((one) => {
    if (one.live.length === 0) return one;
    const message = `${option} matches live workspaces that no file declares: ${namesText(one.live)}`;
    const hint = 'extend `scope` if there is one, then run `attune import --update` with the same --only';
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
