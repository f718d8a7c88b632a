import { SpanStatusCode } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { loadTracing } from '../../src/watch/tracing.ts';
import { recordSpans } from '../support/record-spans.ts';

test('a span of a failure has the message of the error', async () => {
  const spans = recordSpans();
  const tracing = await loadTracing('1.0.0');
  const failure = new Error('no answer');
  await expect(tracing.span('attune.read', {}, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(spans).toMatchObject([
    { name: 'attune.read', status: { code: SpanStatusCode.ERROR, message: 'no answer' }, hasEnded: true },
  ]);
});

test('without the API of OpenTelemetry, nothing is recorded', async () => {
  const missing = Object.assign(new Error('not installed'), { code: 'ERR_MODULE_NOT_FOUND' });
  const tracing = await loadTracing('1.0.0', () => Promise.reject(missing));
  expect(await tracing.span('attune.read', {}, async () => 1)).toBe(1);
});

test('an API of OpenTelemetry that cannot be loaded is an error', async () => {
  const broken = new SyntaxError('broken');
  await expect(loadTracing('1.0.0', () => Promise.reject(broken))).rejects.toBe(broken);
});
