import { endingOf, endings } from '../model/apply-result.ts';
import { changesOf } from '../model/change.ts';
import { holdSources } from '../model/rules.ts';
import { kindOfAddress, resourceKinds } from '../model/state.ts';
import type { OrganizationOutcome } from '../run/cycle/outcome.ts';

/** The metrics of a `watch`, in the text format of Prometheus. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts one attempt of a request. */
  request(organization: string, attempt: MeasuredAttempt): void;
  cycleEnded(cycle: MeasuredCycle): void;
}

interface MeasuredAttempt {
  readonly method: string;
  /** Absent if no answer came. */
  readonly status: number | undefined;
  readonly remaining?: number;
}

interface MeasuredCycle {
  readonly seconds: number;
  /** Seconds since 1970. */
  readonly endedAt: number;
  readonly organizations: readonly OrganizationOutcome[];
  /** Organizations that the cycle could not begin with, because the configuration is invalid. */
  readonly refused: readonly string[];
}

const actions = ['create', 'update', 'delete'] as const;

export async function createMetrics(): Promise<Metrics> {
  let current: readonly OrganizationOutcome[] = [];
  const instruments = await createInstruments(() => current);
  const { registry, cycles, durations, requests, remaining } = instruments;
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    request(organization, { method, status, remaining: left }) {
      requests.inc({ organization, method, status: status ?? 'none' });
      if (left !== undefined) remaining.set({ organization }, left);
    },
    cycleEnded({ seconds, endedAt, organizations, refused }) {
      durations.observe(seconds);
      for (const organization of refused) cycles.inc({ organization, result: 'failed' });
      if (refused.length > 0) return;
      const names = new Set(organizations.map(({ organization }) => organization));
      for (const { organization } of current) if (!names.has(organization)) forget(organization, instruments);
      for (const one of organizations) measure(one, endedAt, instruments);
      current = organizations;
    },
  };
}

type Instruments = Awaited<ReturnType<typeof createInstruments>>;

/** @param outcomes those of the last cycle */
async function createInstruments(outcomes: () => readonly OrganizationOutcome[]) {
  const { Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    registry,
    drift: gauge(
      'attune_drift_changes',
      'Changes between the configuration and the live state that are left after the last cycle.',
      'organization',
      'kind',
      'action',
    ),
    held: gauge(
      'attune_held_changes',
      'Changes of which all or a part was held in the last cycle, by what holds them back.',
      'organization',
      'by',
    ),
    lastSuccess: gauge(
      'attune_last_success_timestamp_seconds',
      'When the last successful cycle ended, in seconds since 1970.',
      'organization',
    ),
    cycles: counter(
      'attune_cycles_total',
      'Cycles by their result. The organization is empty if the configuration was never valid.',
      'organization',
      'result',
    ),
    durations: new Histogram({
      name: 'attune_cycle_duration_seconds',
      help: 'Duration of cycles over all organizations.',
      buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
      registers,
    }),
    requests: counter(
      'attune_service_requests_total',
      'Requests to the service, each attempt counted. The status is "none" if no answer came.',
      'organization',
      'method',
      'status',
    ),
    remaining: gauge(
      'attune_rate_limit_remaining',
      'Requests that the token has left, as the service last announced it.',
      'organization',
    ),
    applied: counter(
      'attune_apply_changes_total',
      'Changes that were attempted, by their result.',
      'organization',
      'result',
    ),
    undeclared: gauge(
      'attune_undeclared',
      'Live workspaces in scope, and grants of projects with declared access, that no file declares. Absent if neither was read.',
      'organization',
      'kind',
    ),
    oldest: new Gauge({
      name: 'attune_oldest_read_age_seconds',
      help: 'Age of the oldest consumer list, retention or grant that the last cycle used.',
      labelNames: ['organization'],
      registers,
      collect() {
        for (const { organization, oldestReadAge } of outcomes())
          this.set({ organization }, oldestReadAge() / 1000);
      },
    }),
  };
}

/** An organization that no file declares any more has no figures. */
function forget(
  organization: string,
  { lastSuccess, remaining, oldest, undeclared, drift, held }: Instruments,
): void {
  for (const gauge of [lastSuccess, remaining, oldest]) gauge.remove({ organization });
  for (const by of holdSources) held.remove({ organization, by });
  for (const kind of resourceKinds) {
    undeclared.remove({ organization, kind });
    for (const action of actions) drift.remove({ organization, kind, action });
  }
}

function measure(
  { organization, isSuccess, found }: OrganizationOutcome,
  endedAt: number,
  { cycles, lastSuccess, undeclared, drift, held, applied }: Instruments,
): void {
  cycles.inc({ organization, result: isSuccess ? 'success' : 'failed' });
  if (isSuccess) lastSuccess.set({ organization }, endedAt);
  if (found === undefined) return;
  const isScoped = found.plans.some(({ overview }) => overview.scope === 'whole');
  const readsAccess = found.plans.some(({ overview: { projects = [] } }) => projects.length > 0);
  const unmanaged = found.plans.flatMap((plan) => plan.unmanaged);
  for (const kind of resourceKinds) {
    const left = unmanaged.filter((address) => kindOfAddress(address) === kind).length;
    const isRead = isScoped || (kind === 'team-access' && readsAccess);
    if (isRead || left > 0) undeclared.set({ organization, kind }, left);
    else undeclared.remove({ organization, kind });
    for (const action of actions) {
      const count = changesOf(found.remaining, kind).filter((change) => change.action === action);
      drift.set({ organization, kind, action }, count.length);
    }
  }
  for (const by of holdSources) {
    const count = found.held.filter((change) => change.held?.some((hold) => hold.by === by)).length;
    held.set({ organization, by }, count);
  }
  // What is held is not attempted.
  for (const result of endings.filter((ending) => ending !== 'held')) {
    const count = found.applied.filter((change) => endingOf(change) === result).length;
    applied.inc({ organization, result }, count);
  }
}
