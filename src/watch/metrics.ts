import { AsyncLocalStorage } from 'node:async_hooks';
import type { Gauge } from 'prom-client';
import { endingOf, endings } from '../model/apply-result.ts';
import { actions, changesOf } from '../model/change.ts';
import { kindOfAddress, resourceKinds } from '../model/state.ts';
import type { CycleOutcome, OrganizationOutcome } from '../run/cycle/create-cycle.ts';
import type { ServiceClient } from '../service/client.ts';
import type { ServiceEvent } from '../service/exchange.ts';

type Attempt = Extract<ServiceEvent, { type: 'attempt' }>;

export type Metrics = Awaited<ReturnType<typeof createMetrics>>;

export async function createMetrics() {
  const prometheus = await import('prom-client');
  const registry = new prometheus.Registry();
  const registers = [registry];
  const optionsOf = (name: string, help: string, labels: readonly string[]) => {
    return { name, help, labelNames: ['organization', ...labels], registers };
  };
  const gauge = (name: string, help: string, labels: readonly string[] = []) =>
    new prometheus.Gauge(optionsOf(name, help, labels));
  const counter = (name: string, help: string, labels: readonly string[] = []) =>
    new prometheus.Counter(optionsOf(name, help, labels));
  const drift = gauge(
    'attune_drift_changes',
    'Changes between the configuration and the live state that are left after the last cycle.',
    ['kind', 'action'],
  );
  const lastSuccess = gauge(
    'attune_last_success_timestamp_seconds',
    'When the last successful cycle ended, in seconds since 1970.',
  );
  const remaining = gauge(
    'attune_rate_limit_remaining',
    'Requests that the token has left, as the service last announced it.',
  );
  const undeclared = gauge(
    'attune_undeclared',
    'Live workspaces in scope, and grants of projects with declared access, that no file declares. Absent if neither was read.',
    ['kind'],
  );
  const cycles = counter(
    'attune_cycles_total',
    'Cycles by their result. The organization is empty if the configuration was never valid.',
    ['result'],
  );
  const requests = counter(
    'attune_service_requests_total',
    'Requests to the service, each attempt counted. The status is "none" if no answer came.',
    ['method', 'status'],
  );
  const applied = counter('attune_apply_changes_total', 'Changes that were attempted, by their result.', [
    'result',
  ]);
  const durations = new prometheus.Histogram({
    name: 'attune_cycle_duration_seconds',
    help: 'Duration of cycles over all organizations.',
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800],
    registers,
  });
  /** By organization; one that no file declares any more has no figures. */
  let known: ReadonlyMap<string, Measured> = new Map();
  return {
    contentType: registry.contentType as string,
    text: (): Promise<string> => {
      for (const one of [drift, lastSuccess, undeclared]) one.reset();
      for (const [organization, measured] of known)
        setGauges(organization, measured, { drift, lastSuccess, undeclared });
      return registry.metrics();
    },
    request(organization: string, { method, status, remaining: left }: Attempt): void {
      requests.inc({ organization, method, status: status ?? 'none' });
      if (left !== undefined) remaining.set({ organization }, left);
    },
    cycleEnded(
      { refused, organizations }: CycleOutcome,
      { seconds, endedAt }: { readonly seconds: number; readonly endedAt: Date },
    ): void {
      durations.observe(seconds);
      if (refused.length > 0) {
        const names = known.size > 0 ? known.keys() : [''];
        for (const organization of names) cycles.inc({ organization, result: 'failed' });
        return;
      }
      const before = known;
      known = new Map(
        organizations.map(({ organization, isSuccess, found }) => {
          const former = before.get(organization);
          cycles.inc({ organization, result: isSuccess ? 'success' : 'failed' });
          // What is held is not attempted.
          for (const result of found ? endings.filter((ending) => ending !== 'held') : []) {
            const count = found?.applied.filter((change) => endingOf(change) === result).length ?? 0;
            applied.inc({ organization, result }, count);
          }
          const succeededAt = isSuccess ? endedAt.getTime() / 1000 : former?.succeededAt;
          return [organization, { found: found ?? former?.found, succeededAt }];
        }),
      );
      for (const organization of before.keys())
        if (!known.has(organization)) remaining.remove({ organization });
    },
  };
}

interface Measured extends Pick<OrganizationOutcome, 'found'> {
  readonly succeededAt: number | undefined;
}

function setGauges(
  organization: string,
  { found, succeededAt }: Measured,
  gauges: Readonly<Record<'drift' | 'lastSuccess' | 'undeclared', Gauge>>,
): void {
  if (succeededAt !== undefined) gauges.lastSuccess.set({ organization }, succeededAt);
  if (found === undefined) return;
  const isScoped = found.plans.some(({ overview }) => overview.scope === 'whole');
  const readsAccess = found.plans.some(({ overview: { projects = [] } }) => projects.length > 0);
  const unmanaged = found.plans.flatMap((plan) => plan.unmanaged);
  for (const kind of resourceKinds) {
    const left = unmanaged.filter((address) => kindOfAddress(address) === kind).length;
    const isRead = isScoped || (kind === 'team-access' && readsAccess);
    if (isRead || left > 0) gauges.undeclared.set({ organization, kind }, left);
    const remaining = changesOf(found.remaining, kind);
    for (const action of actions) {
      const count = remaining.filter((change) => change.action === action).length;
      gauges.drift.set({ organization, kind, action }, count);
    }
  }
}

/** Assigns requests to organizations, which can share connections. */
export function createMeasuring(onAttempt: (organization: string, attempt: Attempt) => void) {
  const current = new AsyncLocalStorage<string>();
  return {
    clientOf: (client: ServiceClient, organization: string): ServiceClient => ({
      capabilities: client.capabilities,
      get: (path, query) => current.run(organization, () => client.get(path, query)),
      send: (call, options) => current.run(organization, () => client.send(call, options)),
      close: () => client.close(),
    }),
    observe: (event: ServiceEvent): void => {
      const organization = current.getStore();
      if (organization !== undefined && event.type === 'attempt') onAttempt(organization, event);
    },
    /** Ends the measuring. Until then, Node.js hands the organization on at every promise of the process. */
    close: () => current.disable(),
  };
}
