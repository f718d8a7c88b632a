import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceClient } from '../service/client.ts';
import type { ServiceEvent } from '../service/exchange.ts';

/** Assigns requests to organizations, which can share connections. */
export interface Measuring {
  /** The same client, whose requests belong to an organization. */
  readonly clientOf: (client: ServiceClient, organization: string) => ServiceClient;
  /** The observer of all clients. */
  readonly observe: (event: ServiceEvent) => void;
  /** Ends the measuring. Until then, Node.js hands the organization on at every promise of the process. */
  readonly close: () => void;
}

type Attempt = Extract<ServiceEvent, { type: 'attempt' }>;

/** Receivers of the events of requests, each with the organization that it is for. */
export interface MeasuringOptions {
  readonly onAttempt: (organization: string, attempt: Attempt) => void;
  /** Requests wait for the rate limit for so many milliseconds. */
  readonly onWait: (organization: string, wait: number) => void;
}

export function createMeasuring({ onAttempt, onWait }: MeasuringOptions): Measuring {
  const current = new AsyncLocalStorage<string>();
  return {
    clientOf: (client, organization) => ({
      capabilities: client.capabilities,
      get: (path, query) => current.run(organization, () => client.get(path, query)),
      send: (call, options) => current.run(organization, () => client.send(call, options)),
      close: () => client.close(),
    }),
    observe: (event) => {
      const organization = current.getStore();
      if (organization === undefined) return;
      if (event.type === 'attempt') onAttempt(organization, event);
      if (event.type === 'throttled') onWait(organization, event.wait);
    },
    close: () => current.disable(),
  };
}
