import { type Span, type Tracer, trace } from '@opentelemetry/api';
import { onTestFinished } from 'vitest';

interface Recorded {
  readonly name: string;
  readonly attributes: unknown;
  readonly parent: string | undefined;
  status?: unknown;
  hasEnded: boolean;
}

/** A tracer provider as a user's SDK registers it. The active span is a stack, which is exact for one request at a time. */
export function recordSpans(): readonly Recorded[] {
  const spans: Recorded[] = [];
  const active: string[] = [];
  const start = (name: string, attributes: unknown, run: (span: Span) => unknown) => {
    const recorded: Recorded = { name, attributes, parent: active.at(-1), hasEnded: false };
    spans.push(recorded);
    active.push(name);
    const span = {
      recordException: () => {},
      setStatus: (status: unknown) => {
        recorded.status = status;
      },
      end: () => {
        recorded.hasEnded = true;
        active.splice(active.lastIndexOf(name), 1);
      },
    };
    return run(span as unknown as Span);
  };
  const tracer = {
    startActiveSpan: (name: string, options: { attributes: unknown }, run: (span: Span) => unknown) =>
      start(name, options.attributes, run),
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  onTestFinished(() => trace.disable());
  return spans;
}
