import { expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { serve } from './service.ts';

const serveLive = (seed: Seed = {}) => serve({ seed, dialect: 'terraform' });

const seed: Seed = { workspaces: { w: { id: 'ws-w' } } };

it.each(['POST', 'PATCH', 'DELETE'])(
  '%s without the JSON:API content type is 415 in the terraform dialect, and a GET is not',
  async (method) => {
    const { ask } = await serveLive(seed);
    const plain = { 'content-type': 'application/json' };
    expect(
      (
        await ask(
          method,
          method === 'POST' ? '/workspaces/ws-w/actions/lock' : '/workspaces/ws-w',
          undefined,
          plain,
        )
      ).status,
    ).toBe(415);
    expect((await ask('GET', '/workspaces/ws-w', undefined, plain)).status).toBe(200);
  },
);

it('every answer of the terraform dialect carries the TFP headers', async () => {
  const { ask } = await serveLive(seed);
  for (const path of ['/ping', '/workspaces/ws-w', '/nothing']) {
    const { headers } = await ask('GET', path);
    expect(headers.get('tfp-api-version')).toMatch(/^\d+\.\d+$/);
    expect(headers.get('tfp-appname')).toBe('HCP Terraform');
  }
  const { ask: other } = await serve({ dialect: 'terraform', edition: 'self-hosted' });
  expect((await other('GET', '/ping')).headers.get('tfp-appname')).toBe('Terraform Enterprise');
});
