import pLimit from 'p-limit';
import { createRollingReads, type RollingReads } from '../../live/detail-reads.ts';
import { type LiveSource, rollingSource, serviceSource } from '../../live/read-live.ts';
import type { AppliedChange } from '../../model/apply-result.ts';
import type { Configuration } from '../../model/configuration.ts';
import { AttuneError, hasErrors } from '../../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../../model/plan.ts';
import { groupBy } from '../../model/value.ts';
import type { ReportEntry } from '../../report/report.ts';
import type { ServiceClient } from '../../service/client.ts';
import {
  type Connection,
  type Connections,
  connectedSources,
  openConnections,
  organizationsAtATime,
} from '../connect.ts';
import type { RunContext, RunState } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { loadConfigurations } from '../load.ts';
import { allPlanned, type Planned, planRoots } from '../plan-roots.ts';
import { errorEntries, rootEntry } from '../report-entry.ts';
import { type HealMode, heal, plannedDeletions } from './heal.ts';

export interface CycleOptions {
  readonly heal: HealMode;
  readonly stop: AbortSignal;
  readonly roots: readonly string[];
  /** Milliseconds; absent: everything is read in each cycle. */
  readonly maxAge: number | undefined;
  /** The same client, whose requests belong to an organization. Organizations can share connections. */
  readonly clientOf: (client: ServiceClient, organization: string) => ServiceClient;
}

export interface CycleOutcome {
  readonly refused: readonly ReportEntry[];
  readonly organizations: readonly OrganizationOutcome[];
}

export interface OrganizationOutcome {
  readonly organization: string;
  readonly roots: readonly ReportEntry[];
  /** Whether its live state was read, and every change was applied that the mode applies. */
  readonly isSuccess: boolean;
  readonly found?: FoundState | undefined;
  readonly errors: readonly ReportEntry[];
}

export interface FoundState {
  readonly entries: readonly ReportEntry[];
  readonly plans: readonly Plan[];
  /** What was applied; changes that are held, or that the mode withholds, are not part of it. */
  readonly applied: readonly AppliedChange[];
  /** The deletions that the next cycle applies if it plans them, too. */
  readonly waiting: readonly PlannedChange[];
  readonly held: readonly PlannedChange[];
  /** The changes that are still needed after the cycle, without those that are held as a whole. */
  readonly remaining: readonly PlannedChange[];
  readonly readAt: Date;
}

export function isSuccessful({ refused, organizations }: CycleOutcome): boolean {
  return refused.length === 0 && organizations.every(({ isSuccess }) => isSuccess);
}

export function createCycle(context: RunContext, options: CycleOptions): () => Promise<CycleOutcome> {
  const { io } = context;
  let known: ReadonlyMap<string, OrganizationReads> = new Map();
  // Only the deletions: outcomes refer to their cycle, so one kept by the next would keep all cycles in memory.
  let deletions: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  return async () => {
    const plannedBefore = deletions;
    deletions = new Map();
    // What the organizations write in this cycle, for a process that ends at once.
    const runs: RunState[] = [];
    io.run.describeWrites = (detail) => runs.map((run) => run.describeWrites?.(detail) ?? '').join('');
    try {
      const configurations = await loadConfigurations(options.roots, context, { digests: true });
      await using connections = await openConnections(configurations, context);
      const byName = groupBy(
        configurations.keys(),
        (index) => configurations[index]?.desired.organization ?? '',
      );
      known = new Map(
        [...byName.keys()].map((name) => [
          name,
          known.get(name) ?? createOrganizationReads(options.maxAge, io.clock.now),
        ]),
      );
      const limit = pLimit(organizationsAtATime);
      const outcomes = [...known].map(async ([organization, reads]) => {
        const indexes = byName.get(organization) ?? [];
        const run: RunState = io.run.command === undefined ? {} : { command: io.run.command };
        runs.push(run);
        const members: Organization = {
          organization,
          reads,
          plannedBefore: plannedBefore.get(organization) ?? new Set(),
          configurations: indexes.flatMap((index) => configurations[index] ?? []),
          connections: {
            at: (member) => {
              const connection = connections.at(indexes[member] ?? -1);
              return { ...connection, client: options.clientOf(connection.client, organization) };
            },
          },
        };
        return await limit(() => runOrganization(members, { ...context, io: { ...io, run } }, options));
      });
      const organizations = await Promise.all(outcomes);
      deletions = new Map(
        organizations.map(({ organization, found }) => [organization, plannedDeletions(found?.plans ?? [])]),
      );
      return { refused: [], organizations };
    } catch (error) {
      // A signal ends the program of --app.
      return { refused: options.stop.aborted ? [] : errorEntries(error, context), organizations: [] };
    } finally {
      delete io.run.describeWrites;
    }
  };
}

interface Organization {
  readonly organization: string;
  readonly configurations: readonly Configuration[];
  readonly connections: Pick<Connections, 'at'>;
  readonly reads: OrganizationReads;
  readonly plannedBefore: ReadonlySet<string>;
}

async function runOrganization(
  members: Organization,
  context: RunContext,
  options: CycleOptions,
): Promise<OrganizationOutcome> {
  const { organization, reads } = members;
  const { stop, heal: mode } = options;
  const roots = members.configurations.map((one) => rootEntry(one, context));
  const readAt = context.io.date();
  try {
    // After a signal, the connections are closed, which cancels reads that are still running.
    const planned = await untilStopped(freshPlans(members, context, options), stop);
    if (mode !== 'none' && planned.some(({ plan }) => sentChanges(plan.changes).length > 0))
      await checkFiles(members.configurations, context, options.roots);
    const { isSuccess, errors, ...found } = await heal(planned, members.plannedBefore, context, options);
    reads.drop(planned.flatMap(({ plan }) => plan.changes));
    const plans = planned.map(({ plan }) => plan);
    return { organization, roots, isSuccess, errors, found: { ...found, plans, readAt } };
  } catch (error) {
    const errors = stop.aborted ? [] : errorEntries(error, context);
    return { organization, roots, isSuccess: false, errors };
  }
}

/**
 * Plans with the values that earlier cycles have read. If a change follows from one of them, the value is read again; if
 * the plan is refused, all of them are. Then the plan is made again: no difference or error is reported, and no call is
 * sent, because of an old value.
 */
async function freshPlans(members: Organization, context: RunContext, options: CycleOptions) {
  const { reads } = members;
  reads.begin();
  for (;;) {
    try {
      const planned = await plansNow(members, context, options);
      const isRefused = planned.some(({ plan }) => hasErrors(plan.diagnostics));
      const changes = planned.flatMap(({ plan }) => plan.changes);
      if (isRefused ? reads.recheckAll() : reads.recheck(changes)) continue;
      reads.end();
      return planned;
    } catch (error) {
      if (!(error instanceof RefusedError) || !reads.recheckAll()) throw error;
    }
  }
}

async function plansNow(
  { configurations, connections, reads }: Organization,
  context: RunContext,
  { heal: mode }: CycleOptions,
): Promise<readonly Planned[]> {
  // `update` deletes nothing, so limits of deletions do not refuse its other changes.
  const unlimited = Number.MAX_SAFE_INTEGER;
  const options =
    mode === 'update'
      ? { ...context.options, maxDeletes: unlimited, maxRevokes: unlimited }
      : context.options;
  const sources = connectedSources(connections, context, (connection) => reads.source(connection));
  const purpose = mode === 'none' ? 'drift' : 'apply';
  const outcome = await planRoots(configurations, sources, { ...context, options }, { purpose });
  return allPlanned(outcome, context);
}

async function untilStopped<Result>(work: Promise<Result>, stop: AbortSignal): Promise<Result> {
  let release = () => {};
  const stopped = new Promise<never>((_resolve, reject) => {
    const end = () => reject(stop.reason);
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true });
    release = () => stop.removeEventListener('abort', end);
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    release();
  }
}

/**
 * Loads the files of one organization again, right before its plan is applied. While files are replaced, some can be read
 * before and some after it: such a mix is not what anybody declared.
 */
async function checkFiles(
  configurations: readonly Configuration[],
  context: RunContext,
  roots: readonly string[],
): Promise<void> {
  // A program makes the files of all organizations. Root files are already those of the shard.
  const isMade = context.options.app !== undefined;
  const { shard: _, ...options } = context.options;
  const files = isMade ? roots : configurations.map(({ file }) => file);
  const loading = loadConfigurations(files, isMade ? context : { ...context, options }, { digests: true });
  const all = await loading.catch((error: unknown): readonly Configuration[] => {
    // The next cycle reports files that are invalid.
    if (error instanceof RefusedError) return [];
    throw error;
  });
  const names = new Set(configurations.map(({ desired }) => desired.organization));
  const again = all.filter(({ desired }) => names.has(desired.organization));
  const digestsOf = (some: readonly Configuration[]) => some.map(({ digest }) => digest).join(' ');
  if (digestsOf(again) === digestsOf(configurations)) return;
  throw new AttuneError('cannot apply the plan: its files changed while it was made', {
    code: 'files-changed',
    hint: 'replace all files in one step, for example through a symbolic link to their folder',
  });
}

type OrganizationReads = ReturnType<typeof createOrganizationReads>;

/** @param maxAge in milliseconds; without it, nothing is kept */
function createOrganizationReads(maxAge: number | undefined, now: () => number) {
  /** By service, token and data, of which one organization can have several in different files. */
  const rolling = new Map<string, RollingReads>();
  let sources = new Map<string, LiveSource>();
  const each = (run: (reads: RollingReads) => void) => {
    for (const reads of rolling.values()) run(reads);
  };
  const sourceOf = ({ identity, client }: Connection): LiveSource => {
    if (maxAge === undefined) return serviceSource(client);
    const known = rolling.get(identity);
    const reads = known ?? createRollingReads({ maxAge, now });
    if (!known) reads.begin();
    rolling.set(identity, reads);
    return rollingSource(client, reads);
  };
  return {
    begin(): void {
      sources = new Map();
      each((reads) => reads.begin());
    },
    source(connection: Connection): LiveSource {
      const source = sources.get(connection.identity) ?? sourceOf(connection);
      sources.set(connection.identity, source);
      return source;
    },
    /** Whether one of these changes follows from a value that an earlier cycle has read; these values are dropped. */
    recheck(changes: readonly PlannedChange[]): boolean {
      const ids = idsOf(changes);
      return [...rolling.values()].filter((reads) => reads.recheck(ids)).length > 0;
    },
    /** Whether the cycle has used any value that an earlier cycle has read; all of them are dropped. */
    recheckAll: (): boolean => [...rolling.values()].filter((reads) => reads.recheckAll()).length > 0,
    /** Drops the values of changes that were attempted, or are left: the next cycle would have to read them again. */
    drop(changes: readonly PlannedChange[]): void {
      const ids = idsOf(changes);
      const renamed = changes.filter(
        ({ action, fields }) => action === 'delete' || fields.some(({ path }) => path === 'name'),
      );
      each((reads) => {
        reads.written(ids);
        reads.gone(renamed.flatMap(({ id }) => id ?? []));
      });
    },
    end: (): void => each((reads) => reads.end()),
  };
}

/** What is read of a grant is kept by its project. */
function idsOf(changes: readonly PlannedChange[]): string[] {
  const ids = changes.map(({ kind, id, facts }) => (kind === 'team-access' ? facts?.project : id));
  return ids.filter((id) => typeof id === 'string');
}
