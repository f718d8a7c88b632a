import { AsyncLocalStorage } from 'node:async_hooks';
import type { CycleObserver } from '../run/cycle/create-cycle.ts';
import type { ServiceEvent } from '../service/exchange.ts';

/** Records spans of what `watch` does. */
export interface Tracing {
  /** Runs something in a span; an error becomes part of the span. */
  span<Result>(name: string, attributes: SpanAttributes, run: () => Promise<Result>): Promise<Result>;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

type OpenTelemetry = typeof import('@opentelemetry/api');

/** Without OpenTelemetry, nothing is recorded. */
const noTracing: Tracing = { span: (_name, _attributes, run) => run() };

/**
 * Records spans through the API of OpenTelemetry where it is installed. The user's own SDK decides what happens to them.
 *
 * @param load Replaced in tests.
 */
export async function loadTracing(
  version: string,
  load: () => Promise<OpenTelemetry> = () => import('@opentelemetry/api'),
): Promise<Tracing> {
  const api = await load().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  return api ? openTelemetry(api, version) : noTracing;
}

function openTelemetry({ trace, SpanStatusCode }: OpenTelemetry, version: string): Tracing {
  const tracer = trace.getTracer('attune', version);
  return {
    span: (name, attributes, run) =>
      tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          return await run();
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error);
          span.recordException(error instanceof Error ? error : message);
          span.setStatus({ code: SpanStatusCode.ERROR, message });
          throw error;
        } finally {
          span.end();
        }
      }),
  };
}

/** Assigns requests to organizations, and records plans, reads and calls as spans. */
export interface Measuring extends CycleObserver {
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

export function createMeasuring(tracing: Tracing, { onAttempt, onWait }: MeasuringOptions): Measuring {
  const current = new AsyncLocalStorage<string>();
  return {
    client: (client, organization) => ({
      capabilities: client.capabilities,
      get: (path, query) => current.run(organization, () => client.get(path, query)),
      send: (call, options) =>
        tracing.span(
          'attune.call',
          {
            'attune.organization': organization,
            'http.request.method': call.method,
            'url.path': `/api/v2${call.path}`,
          },
          () => current.run(organization, () => client.send(call, options)),
        ),
      close: () => client.close(),
    }),
    source(source, organization) {
      const read = <Result>(what: string, run: () => Promise<Result>) =>
        tracing.span('attune.read', { 'attune.organization': organization, 'attune.read.what': what }, run);
      return {
        ...source,
        read: (query) => read('state', () => source.read(query)),
        names: (of, kind, options) => read(kind, () => source.names(of, kind, options)),
        countWorkspaces: (of, scope) => read('workspace count', () => source.countWorkspaces(of, scope)),
        countGrants: (project) => read('grant count', () => source.countGrants(project)),
      };
    },
    planning: (organization, plan) =>
      tracing.span('attune.plan', { 'attune.organization': organization }, plan),
    observe: (event) => {
      const organization = current.getStore();
      if (organization === undefined) return;
      if (event.type === 'attempt') onAttempt(organization, event);
      if (event.type === 'throttled') onWait(organization, event.wait);
    },
    close: () => current.disable(),
  };
}
