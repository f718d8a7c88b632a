import { syncBuiltinESMExports } from 'node:module';
import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type ClientOptions, createServiceClient } from '../../src/service/client.ts';
import type { ServiceEvent } from '../../src/service/exchange.ts';
import { type JumpingClock, jumpingClock } from '../support/fake-clock.ts';
import { httpBridge } from '../support/http-bridge-dispatcher.ts';

export const address = 'https://iac.example.com';
export const token = 'at-3f9c0f1e7b';
/** The interface, as nock listens to it. */
export const api = `${address}/api/v2`;

// nock patches `http` when it is imported. Test files share a process, so it is active only in files that use it.
nock.restore();
syncBuiltinESMExports();

/** Blocks real connections in a test file, and requires every request that a test announces. */
export function useNock(): void {
  beforeAll(() => {
    nock.activate();
    // Updates the functions of `http` that were imported by name before nock replaced them.
    syncBuiltinESMExports();
    nock.disableNetConnect();
  });
  afterEach(() => {
    const pending = nock.pendingMocks();
    nock.cleanAll();
    expect(pending).toEqual([]);
  });
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
    syncBuiltinESMExports();
  });
}

export interface ClientUnderTest {
  readonly client: ReturnType<typeof createServiceClient>;
  readonly clock: JumpingClock;
  readonly events: readonly ServiceEvent[];
  /** The attempts so far, as `GET 200`; `GET -` where no answer came. */
  attempts(): string[];
}

export function clientUnderTest(
  options: Partial<ClientOptions> & { clock?: JumpingClock } = {},
): ClientUnderTest {
  const clock = options.clock ?? jumpingClock();
  const events: ServiceEvent[] = [];
  const client = createServiceClient({
    address: new URL(address),
    token,
    dispatcher: httpBridge(),
    observe: (event) => events.push(event),
    ...options,
    clock,
  });
  const attempts = () =>
    events.flatMap((event) => (event.type === 'attempt' ? [`${event.method} ${event.status ?? '-'}`] : []));
  return { client, clock, events, attempts };
}

/** What a promise is rejected with; fails where it is not. */
export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { hint?: string; status?: number }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('it was expected to fail, and did not');
}
