import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/model/value.ts';
import { notices, reported, type Stage, stage } from './stage.ts';

const yaml = 'workspaces: {old: {state: absent}}\n';
const seed = { projects: { One: 'prj-1' }, workspaces: { old: { tags: ['a'] } } };

/** Another user changes something between plan and apply. */
async function meanwhile(
  { client, service, plan }: Stage,
  method: 'POST' | 'PATCH',
  rest: string,
  body?: Value,
) {
  const path = `/workspaces/${plan.changes[0]?.id}${rest}`;
  await client.send({ method, path, ...(body !== undefined && { body }) });
  service.clearRequests();
}

const settings = (attributes: Record<string, Value>, project?: string): Value => ({
  data: {
    type: 'workspaces',
    attributes,
    ...(project && { relationships: { project: { data: { type: 'projects', id: project } } } }),
  },
});

describe('a workspace is re-read before it is deleted', () => {
  test('an unchanged workspace is deleted', async () => {
    const { apply, requests } = await stage(yaml, { seed });
    expect(reported(await apply())).toEqual(['done workspace.old 1']);
    expect(await requests()).toEqual(['GET /workspaces/<old>', 'POST /workspaces/<old>/actions/safe-delete']);
  });

  test('deleting a workspace that no longer exists succeeds with a note', async () => {
    const on = await stage(yaml, { seed });
    await meanwhile(on, 'POST', '/actions/safe-delete');
    const result = await on.apply();
    expect(reported(result)).toEqual(['done workspace.old 0']);
    expect(notices(result)).toEqual(['note[already-done]: "old" was deleted already']);
    expect(await on.writes()).toEqual([]);
  });

  test('deleting a workspace that is deleted after the re-read succeeds', async () => {
    const on = await stage(yaml, { seed });
    const { service, client } = on;
    const vanishing = {
      ...client,
      send: async (...[call, options]: Parameters<typeof client.send>) => {
        await client.send(call, options);
        return client.send(call, options);
      },
    };
    service.clearRequests();
    expect(reported(await on.apply({ client: vanishing }))).toEqual(['done workspace.old 0']);
  });

  test.each([
    {
      what: 'renamed',
      rest: '',
      method: 'PATCH' as const,
      body: settings({ name: 'kept' }),
      how: 'its name changed from "old" to "kept"',
    },
    {
      what: 'moved to another project',
      rest: '',
      method: 'PATCH' as const,
      body: settings({}, 'prj-1'),
      how: /^its project changed from "prj-\w+" to "prj-1"$/,
    },
    {
      what: 'tagged',
      rest: '/relationships/tags',
      method: 'POST' as const,
      body: { data: [{ type: 'tags', attributes: { name: 'keep' } }] },
      how: 'its tags changed from ["a"] to ["a","keep"]',
    },
  ])('a workspace that was $what after the plan is not deleted', async ({ rest, method, body, how }) => {
    const on = await stage(yaml, { seed });
    await meanwhile(on, method, rest, body);
    const { changes } = await on.apply();
    expect(changes).toMatchObject([{ result: 'failed', callsDone: 0 }]);
    const [prefix, suffix] = [
      'the plan is stale: workspace.old changed after the plan was made (',
      '); plan again',
    ];
    const message = changes[0]?.error?.message ?? '';
    expect(message.startsWith(prefix) && message.endsWith(suffix)).toBe(true);
    expect(message.slice(prefix.length, -suffix.length)).toEqual(
      typeof how === 'string' ? how : expect.stringMatching(how),
    );
    expect(await on.writes()).toEqual([]);
  });
});

describe('a safe delete that is refused', () => {
  test('the error of a safe delete that is refused for managed resources has a hint', async () => {
    const detail = 'Workspace cannot be safely deleted because it is still managing resources.';
    const { apply } = await stage(yaml, {
      seed,
      faults: [{ kind: 'status', status: 409, path: '*/actions/safe-delete', detail }],
    });
    expect(reported(await apply())[1]).toBe(
      '  POST /workspaces/<id>/actions/safe-delete answered 409: Workspace cannot be safely deleted because it is still managing resources; destroy its resources first, or write `delete: force` to delete it with its resources unmanaged',
    );
  });

  test('the error of a safe delete of a locked workspace has the hint to unlock it', async () => {
    const { apply } = await stage(yaml, {
      seed: { workspaces: { old: { locked: true } } },
      dialect: 'terraform',
    });
    expect(reported(await apply())[1]).toBe(
      '  POST /workspaces/<id>/actions/safe-delete answered 409: Workspace is locked and must be unlocked before it can be safe deleted; it is locked by user owner (user-owner); unlock it first',
    );
  });

  const processing = {
    kind: 'status',
    status: 409,
    path: '*/actions/safe-delete',
    detail:
      "Workspace's latest state version is still being processed to discover resources; please try again later.",
  } as const;

  test('a safe delete is retried while the state of the workspace is being processed', async () => {
    const { apply, service, clock, writes } = await stage(yaml, { seed });
    service.setFaults([{ ...processing, nth: 1, times: 2 }]);
    expect(reported(await apply())).toEqual(['done workspace.old 1']);
    expect(clock.slept).toEqual([2000, 4000]);
    expect(await writes()).toHaveLength(3);
  });

  test('a safe delete fails without mention of resources if the state is processed for too long', async () => {
    const { apply, service, clock } = await stage(yaml, { seed });
    service.setFaults([processing]);
    expect(reported(await apply())[1]).toMatch(
      /please try again later; run again in a few minutes: the service is still processing its newest state$/,
    );
    expect(clock.slept).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  test('the error of a safe delete that is refused with 403 does not suggest force', async () => {
    const { apply, service } = await stage(yaml, { seed });
    service.setFaults([{ kind: 'status', status: 403, path: '*/actions/safe-delete' }]);
    expect(reported(await apply())[1]).toBe(
      '  POST /workspaces/<id>/actions/safe-delete answered 403: this token may not do that',
    );
  });

  test('a safe delete fails with 404 if the workspace still exists, for lack of permission', async () => {
    const { apply, service } = await stage(yaml, { seed });
    service.setFaults([{ kind: 'status', status: 404, path: '*/actions/safe-delete' }]);
    expect(reported(await apply())).toEqual([
      'failed workspace.old 0',
      '  POST /workspaces/<id>/actions/safe-delete answered 404: not found, or this token may not see it',
    ]);
  });
});

test('the error of a refused force delete names the required permission', async () => {
  const { apply, service } = await stage('workspaces: {old: {state: absent, delete: force}}\n', { seed });
  service.setFaults([
    {
      kind: 'status',
      status: 403,
      method: 'DELETE',
      detail: 'You are not authorized to force delete this workspace.',
    },
  ]);
  expect(reported(await apply())[1]).toBe(
    '  DELETE /workspaces/<id> answered 403: You are not authorized to force delete this workspace; only organization owners may force delete by default; write `delete: safe`',
  );
});

describe('a revoked grant', () => {
  const grant = 'projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: none}}\n';
  const granted = {
    projects: { One: 'prj-1' },
    teams: { sre: 'team-sre' },
    'team-access': { 'prj-1': { sre: 'read' } },
  };

  test('revoking a grant that no longer exists succeeds', async () => {
    const { apply, client, plan } = await stage(grant, { seed: granted });
    await client.send({ method: 'DELETE', path: `/team-projects/${plan.changes[0]?.id}` });
    expect(reported(await apply())).toEqual(['done team-access.one/sre 0']);
  });

  test('revoking a grant that is "not found" but exists fails, for lack of permission', async () => {
    const { apply, service } = await stage(grant, { seed: granted });
    service.setFaults([{ kind: 'status', status: 404, method: 'DELETE' }]);
    expect(reported(await apply())).toEqual([
      'failed team-access.one/sre 0',
      '  DELETE /team-projects/<id> answered 404: not found, or this token may not see it',
    ]);
  });
});

describe('a lock', () => {
  const lock = 'workspaces: {app: {lock: {reason: freeze}}}\n';
  const unlock = 'workspaces: {app: {lock: false}}\n';
  const open = { seed: { workspaces: { app: {} } } };

  test('a lock is sent with its reason', async () => {
    const { apply, service, workspaces } = await stage(lock, open);
    await apply();
    expect(service.requests[0]?.body).toEqual({ reason: 'freeze' });
    expect(await workspaces()).toMatchObject({ app: { locked: true, 'locked-reason': 'freeze' } });
  });

  test('locking a locked workspace succeeds with a note', async () => {
    const on = await stage(lock, open);
    await meanwhile(on, 'POST', '/actions/lock');
    const result = await on.apply();
    expect(reported(result)).toEqual(['done workspace.app 0']);
    expect(notices(result)).toEqual(['note[already-done]: "app" was locked already']);
  });

  test('unlocking an unlocked workspace succeeds with a note', async () => {
    const on = await stage(unlock, { seed: { workspaces: { app: { locked: true } } } });
    await meanwhile(on, 'POST', '/actions/unlock');
    const result = await on.apply();
    expect(reported(result)).toEqual(['done workspace.app 0']);
    expect(notices(result)).toEqual(['note[already-done]: "app" was unlocked already']);
  });

  test('a lock of another user is never forced: the change fails and names the holder', async () => {
    const { apply, writes } = await stage(unlock, {
      seed: { workspaces: { app: { locked: { by: 'user-kim', reason: 'incident' } } } },
    });
    expect(reported(await apply())).toEqual([
      'failed workspace.app 0',
      '  POST /workspaces/<id>/actions/unlock answered 409: Unable to unlock workspace. The workspace is locked by User user-kim and may not be unlocked except by them; reason: incident; ask the holder to unlock it; apply never force-unlocks',
    ]);
    expect(await writes()).toEqual(['POST /workspaces/<app>/actions/unlock']);
  });

  test('the error about a lock of another user names the holder if the response does not', async () => {
    const { apply, service } = await stage(unlock, {
      seed: { workspaces: { app: { locked: { by: 'user-kim' } } } },
    });
    service.setFaults([{ kind: 'status', status: 409, path: '*/actions/unlock' }]);
    expect(reported(await apply())[1]).toBe(
      '  POST /workspaces/<id>/actions/unlock answered 409: it is locked by user kim (user-kim); ask the holder to unlock it; apply never force-unlocks',
    );
  });

  test('a lock waits for a state version that is not finished yet', async () => {
    const { apply, service, clock } = await stage(unlock, {
      seed: { workspaces: { app: { locked: true } } },
    });
    service.setFaults([{ kind: 'status', status: 503, path: '*/actions/unlock', nth: 1, times: 3 }]);
    expect(reported(await apply())).toEqual(['done workspace.app 1']);
    expect(clock.slept).toEqual([125, 250, 500]);
  });

  test('a lock fails after a short period if a state version does not get finished', async () => {
    const { apply, clock, writes } = await stage(unlock, {
      seed: { workspaces: { app: { locked: true, state: { intermediate: 'pending' } } } },
    });
    expect(reported(await apply())).toEqual([
      'failed workspace.app 0',
      "  POST /workspaces/<id>/actions/unlock answered 503: Unable to unlock workspace. The workspace's latest state version is still pending; check its state versions and unlock it later: its newest state is still being saved",
    ]);
    expect(clock.slept).toEqual([125, 250, 500, 1000, 2000, 4000, 4000, 4000]);
    expect(await writes()).toHaveLength(9);
  });
});
