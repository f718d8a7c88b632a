import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { type EmbeddedService, openEmbedded } from '../../src/emulator/service.ts';
import { dialects } from '../../src/model/dialect.ts';

const seed = { workspaces: { network: { id: 'ws-network', tags: ['prod'] } } };
const type = 'application/vnd.api+json';

describe.each(dialects)('in the %s dialect', (dialect) => {
  let server: Emulator;
  let embedded: EmbeddedService;

  beforeAll(async () => {
    server = await startEmulator({ dialect, seed });
    embedded = await openEmbedded(server.url, { dialect, seed });
  });

  afterAll(async () => {
    await server.stop();
    await embedded.close();
  });

  test.each<[method: string, path: string, body?: string]>([
    ['GET', '/organizations/acme/workspaces?page%5Bsize%5D=1'],
    ['GET', '/organizations/none/workspaces'],
    ['GET', '/ping'],
    ['POST', '/workspaces/ws-network/actions/lock', '{}'],
    ['POST', '/workspaces/ws-network/relationships/tags', '{'],
    ['PATCH', '/workspaces/ws-network', '{"data":{"type":"workspaces","attributes":{"description":"x"}}}'],
  ])(`the embedded service answers %s %s as the server does (${dialect})`, async (method, path, body) => {
    const request = { method, headers: { 'content-type': type }, ...(body && { body }) };
    const answer = await fetch(`${server.url}/api/v2${path}`, request);
    const text = await answer.text();
    const { date, connection, 'keep-alive': _, ...headers } = Object.fromEntries(answer.headers);
    const expected = { status: answer.status, headers, text };
    expect(timeless(await embedded.exchange({ ...request, path: `/api/v2${path}` }))).toEqual(
      timeless(expected),
    );
  });
});

/** The two services do not answer in the same millisecond. */
function timeless(answer: { readonly text: string }) {
  return { ...answer, text: answer.text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME') };
}
