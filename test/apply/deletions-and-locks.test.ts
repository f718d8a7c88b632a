import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/model/value.ts';
import { rowsIn } from '../support/rows.ts';
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
      how: 'name was "old" and is "kept"',
    },
    {
      what: 'moved to another project',
      rest: '',
      method: 'PATCH' as const,
      body: settings({}, 'prj-1'),
      how: /^project was "prj-\w+" and is "prj-1"$/,
    },
    {
      what: 'tagged',
      rest: '/relationships/tags',
      method: 'POST' as const,
      body: { data: [{ type: 'tags', attributes: { name: 'keep' } }] },
      how: 'tags was ["a"] and is ["a","keep"]',
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

describe('what a deletion depends on is compared right before it', () => {
  const bound = {
    projects: { One: { id: 'prj-1', 'tag-bindings': { team: 'web' } } },
    workspaces: { old: { project: 'One', 'tag-bindings': { env: 'test' } } },
  };
  const prunes = (key: string, value: string) =>
    `scope: {tagged: {${key}: ${value}}}\nprune: {workspaces: safe}\nlimits: {delete-percent: 100}\nworkspaces: {}\n`;

  /** A client whose answers show another number of resources. */
  const managing = ({ client }: Stage, resources: number) => ({
    ...client,
    get: async (...args: Parameters<typeof client.get>) => {
      const text = JSON.stringify(await client.get(...args));
      return JSON.parse(text.replaceAll(/"resource-count":\d+/g, `"resource-count":${resources}`));
    },
  });
  const forced = 'workspaces: {old: {state: absent, delete: force}}\n';

  test('a workspace that manages more resources than the plan shows is not force-deleted', async () => {
    const on = await stage(forced, { seed: { workspaces: { old: { 'resource-count': 1 } } } });
    expect(reported(await on.apply({ client: managing(on, 200) }))).toEqual([
      'failed workspace.old 0',
      '  the plan is stale: workspace.old changed after the plan was made (it managed 1 resource and manages 200 resources now); plan again',
    ]);
    expect(await on.writes()).toEqual([]);
  });

  test('a workspace that manages fewer resources than the plan shows is force-deleted', async () => {
    const on = await stage(forced, { seed: { workspaces: { old: { 'resource-count': 2 } } } });
    expect(reported(await on.apply({ client: managing(on, 1) }))).toEqual(['done workspace.old 1']);
  });

  test('a workspace is not force-deleted if the service no longer shows how many resources it manages', async () => {
    const on = await stage(forced, { seed: { workspaces: { old: { 'resource-count': 0 } } } });
    const { client } = on;
    const hiding = {
      ...client,
      get: async (...args: Parameters<typeof client.get>) =>
        JSON.parse(JSON.stringify(await client.get(...args)).replaceAll(/"resource-count":\d+,?/g, '')),
    };
    expect(reported(await on.apply({ client: hiding }))[1]).toContain(
      '(resource-count was 0 and is not set)',
    );
    expect(await on.writes()).toEqual([]);
  });

  test.each(rowsIn<{
    what: string;
    yaml: string;
    rest: string;
    how: string;
    value: Value;
    path?: string;
  }>`
- {what: its own key/value tags, yaml: "scope: {tagged: {env: test}}\nprune: {workspaces: safe}\nlimits: {delete-percent: 100}\nworkspaces: {}\n", rest: /tag-bindings,
   how: 'tag-bindings was {"env":"test"} and is {"env":"prod"}', value: {data: [{type: tag-bindings, attributes: {key: env, value: prod}}]}}
- {what: those that it inherits, yaml: "scope: {tagged: {team: web}}\nprune: {workspaces: safe}\nlimits: {delete-percent: 100}\nworkspaces: {}\n", rest: '', path: /projects/prj-1/tag-bindings,
   how: 'inherited-tag-bindings was {"team":"web"} and is {"team":"sre"}', value: {data: [{type: tag-bindings, attributes: {key: team, value: sre}}]}}
- {what: those that a guard selects, yaml: "guards: {protect: [{tagged: {env: prod}}]}\nworkspaces: {old: {state: absent}}\n", rest: /tag-bindings, how: 'tag-bindings was {"env":"test"} and is {"env":"prod"}',
   value: {data: [{type: tag-bindings, attributes: {key: env, value: prod}}]}}
`)('a workspace is not deleted if another user changed $what', async ({ yaml, rest, path, how, value }) => {
    const on = await stage(yaml, { seed: bound, dialect: 'terraform' });
    if (path) await on.client.send({ method: 'PATCH', path, body: value as never });
    else await meanwhile(on, 'PATCH', rest, value);
    expect(reported(await on.apply())).toEqual([
      'failed workspace.old 0',
      `  the plan is stale: workspace.old changed after the plan was made (${how}); plan again`,
    ]);
    expect(await on.workspaces()).toHaveProperty('old');
  });

  test('a workspace is deleted although the same plan changes the key/value tags of its project', async () => {
    const on = await stage(
      `projects: {one: {id: prj-1, manage: true, tag-bindings: {team: sre}}}\n${prunes('env', 'test')}`,
      { seed: bound, dialect: 'terraform' },
    );
    expect(reported(await on.apply())).toEqual(['done project.one 1', 'done workspace.old 1']);
  });

  test('a deletion reads a workspace once, with the key/value tags that it compares', async () => {
    const on = await stage(prunes('env', 'test'), { seed: bound, dialect: 'terraform' });
    expect(reported(await on.apply())).toEqual(['done workspace.old 1']);
    expect(await on.requests()).toEqual([
      'GET /workspaces/<old>?include=effective_tag_bindings',
      'POST /workspaces/<old>/actions/safe-delete',
    ]);
  });

  test.each(
    rowsIn<[string, Record<string, unknown>, string]>`
- [renamed, {method: PATCH, path: /projects/prj-1, body: {data: {type: projects, attributes: {name: Kept}}}}, name was "One" and is "Kept"]
- [tagged, {method: PATCH, path: /projects/prj-1/tag-bindings, body: {data: [{type: tag-bindings, attributes: {key: keep, value: yes}}]}}, 'tag-bindings was {"team":"web"} and is {"keep":"yes","team":"web"}']
`,
  )('a project that was %s a moment after the plan is not deleted', async (_, call, how) => {
    const on = await stage(
      'projects: {one: {id: prj-1, manage: true, state: absent}}\nguards: {protect: [{tagged: {env: prod}}]}\nworkspaces: {gone: {state: absent}}\n',
      { seed: { projects: bound.projects, workspaces: { app: {} } }, dialect: 'terraform' },
    );
    await on.client.send(call as never);
    expect(reported(await on.apply())).toContain(
      `  the plan is stale: project.one changed after the plan was made (${how}); plan again`,
    );
  });

  test('access that was changed a moment after the plan is not revoked', async () => {
    const on = await stage('team-access: {prj-1: {team-sre: none}}\n', {
      seed: {
        projects: { One: 'prj-1' },
        teams: { sre: 'team-sre' },
        'team-access': { One: { sre: 'read' } },
      },
    });
    const data = { type: 'team-projects', attributes: { access: 'admin' } };
    await on.client.send({
      method: 'PATCH',
      path: `/team-projects/${on.plan.changes[0]?.id}`,
      body: { data },
    });
    expect(reported(await on.apply())).toEqual([
      'failed team-access.prj-1/team-sre 0',
      '  the plan is stale: team-access.prj-1/team-sre changed after the plan was made (access was "read" and is "admin"); plan again',
    ]);
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
      '  POST /workspaces/<id>/actions/unlock answered 409: Unable to unlock workspace. The workspace is locked by User user-kim and may not be unlocked except by them; reason: incident; ask the holder to unlock it, or run `attune workspace unlock --force`, which requires admin access',
    ]);
    expect(await writes()).toEqual(['POST /workspaces/<app>/actions/unlock']);
  });

  test('the error about a lock of another user names the holder if the response does not', async () => {
    const { apply, service } = await stage(unlock, {
      seed: { workspaces: { app: { locked: { by: 'user-kim' } } } },
    });
    service.setFaults([{ kind: 'status', status: 409, path: '*/actions/unlock' }]);
    expect(reported(await apply())[1]).toBe(
      '  POST /workspaces/<id>/actions/unlock answered 409: it is locked by user kim (user-kim); ask the holder to unlock it, or run `attune workspace unlock --force`, which requires admin access',
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
