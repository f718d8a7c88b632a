/** Records spans of what `watch` does. */
export interface Tracing {
  /** Runs something in a span; an error becomes part of the span. */
  span<Result>(name: string, attributes: SpanAttributes, run: () => Promise<Result>): Promise<Result>;
}

export type SpanAttributes = Readonly<Record<string, string | number>>;

type OpenTelemetry = typeof import('@opentelemetry/api');

/** Without OpenTelemetry, nothing is recorded. */
export const noTracing: Tracing = { span: (_name, _attributes, run) => run() };

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
