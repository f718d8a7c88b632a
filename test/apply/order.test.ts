import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { Call } from '../../src/model/plan.ts';
import { notices, reported, stage } from './stage.ts';

const projects = { One: 'prj-1', Two: 'prj-2' };

describe('calls go out', () => {
  test('apply sends creates first, then settings, tags, consumers, SSH keys, retention, grants and locks', async () => {
    const { apply, writes } = await stage(
      `
projects: {one: prj-1}
teams: {sre: team-sre, dev: team-dev, ops: team-ops}
ssh-keys: {deploy: sshkey-1}
workspaces:
  fresh:
    tags: [a]
    remote-state-consumers: [old]
    ssh-key: deploy
    data-retention: {dont-delete: true}
    lock: true
  old:
    description: new words
    tags: [b]
    remote-state-consumers: [fresh]
    ssh-key: deploy
    data-retention: null
    lock: true
  thawed: {lock: false, description: new words}
team-access:
  one: {sre: read, dev: write, ops: none}
`,
      {
        seed: {
          projects,
          teams: { sre: 'team-sre', dev: 'team-dev', ops: 'team-ops' },
          'ssh-keys': { deploy: 'sshkey-1' },
          workspaces: {
            old: { tags: ['c'], 'data-retention': { 'delete-older-than-days': 7 } },
            thawed: { locked: true },
          },
          'team-access': { 'prj-1': { dev: 'read', ops: 'read' } },
        },
      },
    );
    const result = await apply();
    expect(reported(result).filter((line) => !line.startsWith('done'))).toEqual([]);
    expect(await writes()).toEqual([
      'POST /organizations/acme/workspaces',
      'POST /workspaces/<thawed>/actions/unlock',
      'PATCH /workspaces/<old>',
      'PATCH /workspaces/<thawed>',
      'POST /workspaces/<fresh>/relationships/tags',
      'POST /workspaces/<old>/relationships/tags',
      'DELETE /workspaces/<old>/relationships/tags',
      'PATCH /workspaces/<fresh>/relationships/remote-state-consumers',
      'PATCH /workspaces/<old>/relationships/remote-state-consumers',
      'PATCH /workspaces/<fresh>/relationships/ssh-key',
      'PATCH /workspaces/<old>/relationships/ssh-key',
      'POST /workspaces/<fresh>/relationships/data-retention-policy',
      'DELETE /workspaces/<old>/relationships/data-retention-policy',
      'POST /team-projects',
      'PATCH /team-projects/<one/dev>',
      'DELETE /team-projects/<one/ops>',
      'POST /workspaces/<fresh>/actions/lock',
      'POST /workspaces/<old>/actions/lock',
    ]);
  });

  test('apply rewrites a list before it deletes the workspace that the list loses, and deletes last', async () => {
    const { apply, writes, plan } = await stage(
      `
workspaces:
  app: {remote-state-consumers: [], lock: true}
  gone: {state: absent}
`,
      { seed: { workspaces: { app: { 'remote-state-consumers': ['gone'] }, gone: {} } } },
    );
    expect(plan.changes.find(({ name }) => name === 'gone')?.dependsOn).toEqual(['workspace.app']);
    await apply({ parallelism: 10 });
    expect(await writes()).toEqual([
      'PATCH /workspaces/<app>/relationships/remote-state-consumers',
      'POST /workspaces/<app>/actions/lock',
      'POST /workspaces/<gone>/actions/safe-delete',
    ]);
  });

  test('apply creates two new workspaces that may read the state of each other', async () => {
    const { apply, writes, plan, client } = await stage(
      'workspaces: {a: {remote-state-consumers: [b]}, b: {remote-state-consumers: [a]}}\n',
      { seed: { workspaces: {} } },
    );
    expect(plan.changes.map(({ dependsOn }) => dependsOn)).toEqual([['workspace.b'], ['workspace.a']]);
    expect(reported(await apply({ parallelism: 10 }))).toEqual(['done workspace.a 2', 'done workspace.b 2']);
    expect((await writes()).slice(0, 2)).toEqual([
      'POST /organizations/acme/workspaces',
      'POST /organizations/acme/workspaces',
    ]);
    for (const [name, consumer] of ['ab', 'ba']) {
      const { data } = await client.get(`/organizations/acme/workspaces/${name}`);
      const { id } = data as { id: string };
      const list = await client.get(`/workspaces/${id}/relationships/remote-state-consumers`);
      expect(list.data).toMatchObject([{ attributes: { name: consumer } }]);
    }
  });

  test('apply sends as many calls at a time as the parallelism allows', async () => {
    const { plan, client, clock } = await stage(
      `workspaces: {${Array.from({ length: 20 }, (_, index) => `w${index}: {}`).join(', ')}}\n`,
      { seed: { workspaces: {} } },
    );
    for (const parallelism of [1, 4]) {
      let open = 0;
      let most = 0;
      const counting = {
        ...client,
        send: async () => {
          open += 1;
          most = Math.max(most, open);
          await new Promise(setImmediate);
          open -= 1;
          return { data: { id: `ws-${most}`, attributes: {} } };
        },
      };
      await applyPlan(plan, { client: counting, clock, parallelism });
      expect(most).toBe(parallelism);
    }
  });

  test('a second apply writes nothing', async () => {
    const yaml = 'workspaces: {app: {description: words, tags: [a]}}\n';
    const first = await stage(yaml, { seed: { workspaces: { app: {} } } });
    await first.apply();
    expect(await first.writes()).toHaveLength(2);
    const { attributes } = { attributes: (await first.workspaces()).app };
    expect(attributes).toMatchObject({ description: 'words', 'tag-names': ['a'] });
  });
});

describe('a failure', () => {
  const seed = { projects, workspaces: { one: {}, two: {} } };

  test('a failure skips the later calls of its change and dependent changes, with the reason; others continue', async () => {
    const { apply, service, writes, workspaces } = await stage(
      `
workspaces:
  fresh: {tags: [a]}
  one: {remote-state-consumers: [fresh], lock: true}
  two: {description: words}
`,
      { seed },
    );
    service.setFaults([
      {
        kind: 'status',
        status: 422,
        detail: 'Tags are full.',
        method: 'POST',
        path: '/organizations/acme/workspaces',
      },
    ]);
    expect(reported(await apply())).toEqual([
      'failed workspace.fresh 0',
      '  POST /organizations/acme/workspaces answered 422: Tags are full',
      'skipped workspace.one 0',
      '  needs workspace.fresh, which failed',
      'done workspace.two 1',
    ]);
    expect(await writes()).toEqual(['POST /organizations/acme/workspaces', 'PATCH /workspaces/<two>']);
    expect((await workspaces()).one).toMatchObject({ locked: false });
  });

  test('a change whose second call fails is partial, with the number of completed calls and the error', async () => {
    const { apply, service } = await stage('workspaces: {one: {description: x, tags: [a], lock: true}}\n', {
      seed,
    });
    service.setFaults([{ kind: 'status', status: 403, method: 'POST', path: '*/relationships/tags' }]);
    const { changes } = await apply();
    expect(changes).toMatchObject([
      {
        result: 'partial',
        callsDone: 1,
        error: {
          message: expect.stringMatching(/ \(1 of 3 calls completed\)$/),
          method: 'POST',
          status: 403,
        },
      },
    ]);
    expect(changes[0]?.error?.path).toMatch(/^\/workspaces\/ws-\w+\/relationships\/tags$/);
  });

  test('a failed write of a consumer list keeps the workspace that the list should have lost', async () => {
    const { apply, service, workspaces } = await stage(
      'workspaces: {one: {remote-state-consumers: []}, two: {state: absent}}\n',
      { seed: { workspaces: { one: { 'remote-state-consumers': ['two'] }, two: {} } } },
    );
    service.setFaults([{ kind: 'status', status: 422, method: 'PATCH', path: '*/remote-state-consumers' }]);
    expect(reported(await apply())).toEqual([
      'failed workspace.one 0',
      '  PATCH /workspaces/<id>/relationships/remote-state-consumers answered 422: the service refused the content of the request',
      'skipped workspace.two 0',
      '  needs workspace.one, which failed',
    ]);
    expect(await workspaces()).toHaveProperty('two');
  });

  test('a failure skips a chain of dependent changes with "was skipped"', async () => {
    const { apply, service } = await stage(
      'workspaces: {a: {}, b: {remote-state-consumers: [a]}, c: {state: absent}}\n',
      { seed: { workspaces: { b: { 'remote-state-consumers': ['c'] }, c: {} } } },
    );
    service.setFaults([
      { kind: 'status', status: 404, method: 'POST', path: '/organizations/acme/workspaces' },
    ]);
    expect(reported(await apply())).toEqual([
      'failed workspace.a 0',
      '  POST /organizations/acme/workspaces answered 404: not found, or this token may not see it',
      'skipped workspace.b 0',
      '  needs workspace.a, which failed',
      'skipped workspace.c 0',
      '  needs workspace.b, which was skipped',
    ]);
  });

  test('a create whose response has no id succeeds after a look-up of the workspace', async () => {
    const { client, plan, clock } = await stage('workspaces: {app: {tags: [a]}}\n', {
      seed: { workspaces: {} },
    });
    const silent = {
      ...client,
      send: async (...request: Parameters<typeof client.send>) => {
        await client.send(...request);
        return undefined;
      },
    };
    expect(reported(await applyPlan(plan, { client: silent, clock }))).toEqual(['done workspace.app 2']);
  });
});

describe('a stop', () => {
  test('a stop of apply lets the running call finish and starts no other', async () => {
    const { apply, writes } = await stage('workspaces: {a: {tags: [x]}, b: {}, c: {}}\n', {
      seed: { workspaces: {} },
    });
    const controller = new AbortController();
    const result = await apply({ stop: controller.signal, observe: () => controller.abort() });
    expect(reported(result)).toEqual([
      'partial workspace.a 1',
      '  the rest was not attempted: the run was stopped (1 of 2 calls completed)',
      'skipped workspace.b 0',
      '  not attempted: the run was stopped',
      'skipped workspace.c 0',
      '  not attempted: the run was stopped',
    ]);
    expect(await writes()).toEqual(['POST /organizations/acme/workspaces']);
  });

  test('a stop before the start of apply writes nothing', async () => {
    const { apply, requests } = await stage('workspaces: {a: {}, old: {state: absent}}\n', {
      seed: { workspaces: { old: {} } },
    });
    await apply({ stop: AbortSignal.abort() });
    expect(await requests()).toEqual([]);
  });
});

test('observers of apply get every call with its outcome', async () => {
  const { apply, service } = await stage('workspaces: {a: {tags: [x]}, b: {}}\n', {
    seed: { workspaces: {} },
  });
  service.setFaults([{ kind: 'status', status: 403, path: '*/tags' }]);
  const seen: string[] = [];
  const result = await apply({ observe: ({ address, result }) => seen.push(`${result} ${address}`) });
  expect(seen).toEqual(['done workspace.a', 'done workspace.b', 'failed workspace.a']);
  expect(notices(result)).toEqual([]);
});

test('apply refuses a plan with a call that Attune does not make before the first call', async () => {
  const { plan, client, clock, requests } = await stage('workspaces: {a: {}}\n', {
    seed: { workspaces: {} },
  });
  const [change] = plan.changes;
  if (change === undefined) throw new Error('no change');
  const forgery: Call = {
    operation: 'deleteWorkspace',
    method: 'DELETE',
    path: '/organizations/acme',
    mode: 'force',
  };
  const calls = [...change.calls, forgery];
  const forged = { ...plan, changes: [{ ...change, calls }] };
  await expect(applyPlan(forged, { client, clock })).rejects.toThrow(
    'the plan contains an unknown call: DELETE /organizations/acme',
  );
  expect(await requests()).toEqual([]);
});

test('an unexpected error fails only its change, and its stack is passed to observers only', async () => {
  const { plan, client } = await stage('workspaces: {a: {}, b: {}}', { seed: { organization: 'acme' } });
  let calls = 0;
  const faulty: typeof client = {
    ...client,
    send: (...args) => {
      calls += 1;
      if (calls === 1) throw new TypeError('a slip in the program');
      return client.send(...args);
    },
  };
  const errors: unknown[] = [];
  const observe = ({ error }: { error?: unknown }) => errors.push(error);
  const { changes } = await applyPlan(plan, { client: faulty, parallelism: 1, observe });
  expect(changes.map(({ result }) => result)).toEqual(['failed', 'done']);
  expect(changes[0]?.error).toEqual({ message: 'internal error: TypeError: a slip in the program' });
  expect(errors).toEqual([new TypeError('a slip in the program'), undefined]);
});
