import type { Configuration } from '../desired/configuration.ts';
import { liveQueryOf } from '../desired/live-query-of.ts';
import { diff } from '../diff/diff.ts';
import { countKnown, countWorkspaces } from '../live/count-workspaces.ts';
import type { LiveQuery, LiveScope } from '../live/live-query.ts';
import { type Live, readLive } from '../live/read-live.ts';
import { liveFromSnapshot, type Snapshot } from '../live/snapshot.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { DiagnosticsError } from '../model/diagnostics-error.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Plan } from '../model/plan.ts';
import { matchesWildcard } from '../model/wildcard.ts';
import { createPlan } from '../plan/create-plan.ts';
import { checkLimits, needsCount } from '../plan/limits.ts';
import type { ServiceReader } from '../service/client.ts';

/** Where the live state comes from: the service, or a snapshot of it. */
export interface LiveSource {
  read(query: LiveQuery): Promise<Live>;
  /** Counts the live workspaces in scope, where what was read does not tell. */
  count(organization: string, scope: LiveScope | undefined): Promise<number>;
}

export function serviceSource(reader: ServiceReader): LiveSource {
  return {
    read: (query) => readLive(reader, query),
    count: (organization, scope) => countWorkspaces(reader, organization, scope),
  };
}

export function snapshotSource(snapshot: Snapshot): LiveSource {
  return {
    read: async (query) => liveFromSnapshot(snapshot, query),
    count: async () => snapshot.resources.filter(({ kind }) => kind === 'workspace').length,
  };
}

export interface MakePlanOptions {
  /** Answers what is live. Only reads: planning has nothing to write with. */
  readonly source: LiveSource;
  readonly address: string;
  /** What to look at; everything where nothing is named. */
  readonly only: readonly string[];
  /** Where it is known without asking. */
  readonly dialect?: Dialect;
  readonly maxDeletes?: number;
  /** Reads the scope in full even where nothing is pruned. */
  readonly reportScope?: boolean;
}

/**
 * The whole way from a configuration to its plan: what has to be read, the reads, the comparison, the calls, and
 * whether the deletes are within their limits: a plan that passes them has an error among its diagnostics.
 *
 * @throws {AttuneError} where a read failed, or {@link DiagnosticsError} where the live state shows mistakes in the
 * files: then there is no plan.
 */
export async function makePlan(configuration: Configuration, options: MakePlanOptions): Promise<Plan> {
  const { source, address, only, dialect, maxDeletes, reportScope } = options;
  const chosen = (resource: string) =>
    only.length === 0 || only.some((pattern) => matchesWildcard(pattern, resource));

  const query = liveQueryOf(configuration, { chosen, ...(reportScope && { reportScope }) });
  const live = await source.read(dialect ? { ...query, dialect } : query);
  const difference = diff(configuration, live, { chosen });
  if (hasErrors(difference.diagnostics)) throw new DiagnosticsError(difference.diagnostics);
  const plan = createPlan({ configuration, live, difference, address });

  // A drift report deletes nothing, so it is not held to the limits.
  if (reportScope) return plan;
  const known = knownCount(configuration, live);
  const workspaces = needsCount(plan, configuration.limits, known, maxDeletes)
    ? await wholeCount(source, configuration, live)
    : known.workspaces;
  const refused = checkLimits(plan, configuration.limits, { ...known, workspaces }, maxDeletes);
  return { ...plan, diagnostics: [...plan.diagnostics, ...refused] };
}

function knownCount({ scope }: Configuration, live: Live): { workspaces: number; grants: number } {
  const grants = [...live.state.resources.values()].filter(
    (resource) => resource.kind === 'team-access',
  ).length;
  return { workspaces: countKnown(live, scope), grants };
}

async function wholeCount(
  source: LiveSource,
  { scope, desired }: Configuration,
  live: Live,
): Promise<number> {
  if (scope === undefined && live.workspaceTotal !== undefined) return live.workspaceTotal;
  if (live.whole || (scope && live.scopeWhole)) return countKnown(live, scope);
  return source.count(desired.organization, scope);
}
