import type { RateState } from '../rate-limit.ts';
import type { World } from '../world.ts';
import type { Answer } from './answer.ts';

export type Headers = Record<string, string | number>;

/** What every answer carries: the media type, where the limit stands, and on live services who answers. */
export function answerHeaders(world: World, answer: Answer, rate: RateState | undefined): Headers {
  return {
    ...(answer.body !== undefined && {
      'Content-Type': answer.type ?? 'application/vnd.api+json; charset=utf-8',
      'Content-Length': Buffer.byteLength(answer.body),
    }),
    ...(rate && {
      'X-RateLimit-Limit': rate.limit,
      'X-RateLimit-Remaining': rate.remaining,
      'X-RateLimit-Reset': rate.reset.toFixed(3),
    }),
    ...(world.dialect === 'terraform' && {
      'TFP-API-Version': '2.6',
      'TFP-AppName': world.edition === 'self-hosted' ? 'Terraform Enterprise' : 'HCP Terraform',
      ...(world.edition === 'self-hosted' && { 'X-TFE-Version': 'v202507-1' }),
    }),
    ...answer.headers,
  };
}
