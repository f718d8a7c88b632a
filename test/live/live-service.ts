import { onTestFinished } from 'vitest';
import type { Emulator, EmulatorOptions, WorkspaceSeed } from '../../src/emulator/index.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import { serviceWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';

export interface LiveService {
  readonly client: ServiceClient;
  readonly service: Emulator;
  /** The requests so far, as `GET /path`, sorted: many are sent side by side. */
  requests(): string[];
}

/** A real service on loopback with a client whose waits take no time. */
export async function liveService(options: EmulatorOptions): Promise<LiveService> {
  const service = await serviceWith(options);
  const client = createServiceClient({
    address: new URL(service.url),
    token: 'test-token',
    clock: jumpingClock(),
  });
  onTestFinished(() => client.close());
  return {
    client,
    service,
    requests: () => service.requests.map(({ method, path }) => `${method} ${path}`).sort(),
  };
}

/** `w-001` and so on. */
export function numbered(count: number, seed: WorkspaceSeed = {}): Record<string, WorkspaceSeed> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`w-${String(index + 1).padStart(3, '0')}`, seed]),
  );
}

/** A query for nothing but what is given. */
export function queryFor(rest: Partial<LiveQuery>): LiveQuery {
  return {
    organization: 'acme',
    names: [],
    whole: false,
    consumersOf: new Set(),
    retentionOf: new Set(),
    projects: [],
    ...rest,
  };
}
