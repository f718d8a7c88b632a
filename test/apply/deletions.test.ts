import { expect, test } from 'vitest';
import type { ServiceClient } from '../../src/service/client.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { reported, type Stage, stage } from './stage.ts';

const forced = 'workspaces: {old: {state: absent, delete: force}}\n';

/** A client whose answers show another number of resources, or none. */
function managing({ client }: Stage, resources?: number): ServiceClient {
  const count = resources === undefined ? '' : `"resource-count":${resources},`;
  return {
    ...client,
    get: async (...args) =>
      JSON.parse(JSON.stringify(await client.get(...args)).replaceAll(/"resource-count":\d+,/g, count)),
  };
}

test.each([
  [1, 200, 'failed workspace.old 0', 'it managed 1 resource and manages 200 resources now'],
  [2, 1, 'done workspace.old 1', undefined],
  [0, undefined, 'failed workspace.old 0', 'resource-count was 0 and is not set'],
])(
  'a workspace that managed %s resources and manages %s is force-deleted only if that loses no more',
  async (before, now, outcome, how) => {
    const on = await stage(forced, { seed: { workspaces: { old: { 'resource-count': before } } } });
    const [result, error] = reported(await on.apply({ client: managing(on, now) }));
    expect(result).toBe(outcome);
    if (how === undefined) return;
    expect(error).toBe(
      `  the plan is stale: workspace.old changed after the plan was made (${how}); plan again`,
    );
    expect(await on.writes()).toEqual([]);
  },
);

test('deleting a workspace that is deleted after the re-read succeeds', async () => {
  const on = await stage('workspaces: {old: {state: absent}}\n', { seed: { workspaces: { old: {} } } });
  const send: ServiceClient['send'] = async (call, options) => {
    await on.client.send(call, options);
    return on.client.send(call, options);
  };
  expect(reported(await on.apply({ client: { ...on.client, send } }))).toEqual(['done workspace.old 0']);
});

test('a service without safe delete is named also after a workspace that was deleted meanwhile', async () => {
  const on = await stage('workspaces: {a: {state: absent}, b: {state: absent}}\n', {
    seed: { workspaces: { a: {}, b: {} } },
  });
  const send: ServiceClient['send'] = async (call) => {
    if (call.path.startsWith(on.withIds('/workspaces/<a>/'))) await on.send('DELETE /workspaces/<a>');
    throw new ServiceError(call, 404, []);
  };
  const [a, b, error] = reported(await on.apply({ client: { ...on.client, send } }));
  expect([a, b]).toEqual(['done workspace.a 0', 'failed workspace.b 0']);
  expect(error).toContain('this service does not offer safe delete');
});
