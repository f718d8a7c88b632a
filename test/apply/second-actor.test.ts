import { describe, expect, test } from 'vitest';
import type { WriteRequest } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { asResourceObject } from '../../src/service/documents.ts';
import { worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { notices, reported, type Stage, stage } from './stage.ts';

/** Sends a request as another user, between plan and apply. */
async function meanwhile({ client, service, plan }: Stage, call: WriteRequest): Promise<void> {
  await client.send({ ...call, path: call.path.replace('<id>', plan.changes[0]?.id ?? '') });
  service.clearRequests();
}

const patch = (attributes: Record<string, Value>): WriteRequest => ({
  method: 'PATCH',
  path: '/workspaces/<id>',
  body: { data: { type: 'workspaces', attributes } },
});
const stalePlan = (how: string) =>
  `  the plan is stale: workspace.app changed after the plan was made (${how}); plan again`;

const seed = {
  projects: { One: 'prj-1' },
  teams: { sre: 'team-sre' },
  'agent-pools': { one: 'apool-1', two: 'apool-2' },
  'team-access': { 'prj-1': { sre: 'read' } },
  workspaces: {
    app: {
      tags: ['a', 'b'],
      'data-retention': { 'delete-older-than-days': 30 },
      'execution-mode': 'agent',
      'agent-pool-id': 'apool-1',
      'vcs-repo': { identifier: 'acme/app', 'oauth-token-id': 'ot-1' },
    },
    other: {},
  },
};
const access = 'projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: %}}\n';

describe('what another run changed since the plan, a while ago', () => {
  test.each(rowsIn<{
    what: string;
    yaml: string;
    call: WriteRequest;
    how: string;
    live?: Record<string, unknown>;
  }>`
- {what: the level of a grant that is revoked, yaml: "projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: none}}\n",
   call: {method: PATCH, path: /team-projects/<id>, body: {data: {type: team-projects, attributes: {access: admin}}}},
   how: '  the plan is stale: team-access.one/sre changed after the plan was made (access was "read" and is "admin"); plan again'}
- {what: the level of a custom grant of which one permission is changed, live: {access: custom, workspace-access: {runs: plan}},
   yaml: "projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: {access: custom, workspace-access: {runs: apply}}}}\n",
   call: {method: PATCH, path: /team-projects/<id>, body: {data: {type: team-projects, attributes: {access: admin}}}},
   how: '  the plan is stale: team-access.one/sre changed after the plan was made (access was "custom" and is "admin"); plan again'}
- {what: a permission of a custom grant that is revoked, live: {access: custom, workspace-access: {runs: plan}}, yaml: "projects: {one: prj-1}\nteams: {sre: team-sre}\nteam-access: {one: {sre: none}}\n",
   call: {method: PATCH, path: /team-projects/<id>, body: {data: {type: team-projects, attributes: {access: custom, workspace-access: {variables: write}}}}},
   how: '  the plan is stale: team-access.one/sre changed after the plan was made (workspace-access.variables was "none" and is "write"); plan again'}
- {what: a data retention that is replaced, yaml: "workspaces: {app: {data-retention: {dont-delete: true}}}\n",
   call: {method: POST, path: /workspaces/<id>/relationships/data-retention-policy, body: {data: {type: data-retention-policy-delete-olders, attributes: {delete-older-than-n-days: 90}}}},
   how: '  the plan is stale: workspace.app changed after the plan was made (data-retention was {"delete-older-than-days":30} and is {"delete-older-than-days":90}); plan again'}
- {what: a data retention that is removed, yaml: "workspaces: {app: {data-retention: null}}\n",
   call: {method: POST, path: /workspaces/<id>/relationships/data-retention-policy, body: {data: {type: data-retention-policy-delete-olders, attributes: {delete-older-than-n-days: 90}}}},
   how: '  the plan is stale: workspace.app changed after the plan was made (data-retention was {"delete-older-than-days":30} and is {"delete-older-than-days":90}); plan again'}
- {what: a repository that is detached, yaml: "workspaces: {app: {vcs-repo: null}}\n", call: {method: PATCH, path: /workspaces/<id>, body: {data: {type: workspaces, attributes: {vcs-repo: {identifier: acme/new}}}}},
   how: '  the plan is stale: workspace.app changed after the plan was made (vcs-repo was {"identifier":"acme/app","ingress-submodules":false,"oauth-token-id":"ot-1"} and is {"identifier":"acme/new","ingress-submodules":false,"oauth-token-id":"ot-1"}); plan again'}
- {what: an execution mode that is sent only with its pool, yaml: "agent-pools: {two: apool-2}\nworkspaces: {app: {agent-pool-id: two}}\n",
   call: {method: PATCH, path: /workspaces/<id>, body: {data: {type: workspaces, attributes: {execution-mode: remote}}}},
   how: '  the plan is stale: workspace.app changed after the plan was made (execution-mode was "agent" and is "remote"); plan again'}
`)(
    'a change is not written if another run changed its object since the plan, and the difference is reported: $what',
    async ({ yaml, call, how, live }) => {
      const on = await stage(yaml, {
        seed: { ...seed, ...(live && { 'team-access': { 'prj-1': { sre: live } } }) } as never,
      });
      await meanwhile(on, call);
      expect(reported(await on.apply({ readAt: 0 }))).toEqual([
        `failed ${on.plan.changes[0]?.address} 0`,
        how,
      ]);
      expect(await on.writes()).toEqual([]);
    },
  );

  test.each([
    access.replace('%', 'none'),
    'workspaces: {app: {data-retention: null}}\n',
    'workspaces: {app: {vcs-repo: null}}\n',
    'agent-pools: {two: apool-2}\nworkspaces: {app: {agent-pool-id: two}}\n',
  ])('an unchanged object is read once more before it is written (%j)', async (yaml) => {
    for (const [options, looks] of [
      [{ readAt: 0 }, 1],
      [{}, 0],
    ] as const) {
      const on = await stage(yaml, { seed });
      expect(reported(await on.apply(options))).toEqual([`done ${on.plan.changes[0]?.address} 1`]);
      const requests = await on.requests();
      const isDeletion = on.plan.changes[0]?.action === 'delete';
      expect(requests.filter((request) => request.startsWith('GET '))).toHaveLength(isDeletion ? 1 : looks);
    }
  });

  test('a value that changed after a plan without a comparison is written as declared', async () => {
    const on = await stage('workspaces: {app: {description: mine}}\n', { seed });
    await meanwhile(on, patch({ description: 'theirs' }));
    expect(reported(await on.apply({ readAt: 0 }))).toEqual(['done workspace.app 1']);
    expect(await on.requests()).toEqual(['PATCH /workspaces/<app>']);
  });
});

describe('entries that another user added since the plan, a while ago, are not removed', () => {
  const bindings = (key: string) => ({
    data: [{ type: 'tag-bindings', attributes: { key, value: 'theirs' } }],
  });
  const live = {
    projects: { One: { id: 'prj-1', 'tag-bindings': { owner: 'us' } } },
    workspaces: { app: { id: 'ws-app', 'trigger-patterns': ['a/**', 'b/**'] } },
  };

  test.each([
    ['exactly these', '{env: prod}'],
    ['additions and removals', '{add: {env: prod}, remove: [owner]}'],
  ])('the key/value tags of a project declared as %s are not replaced', async (_, rule) => {
    const on = await stage(`projects: {one: {id: prj-1, manage: true, tag-bindings: ${rule}}}\n`, {
      seed: live,
      dialect: 'terraform',
    });
    const path = '/projects/prj-1/tag-bindings';
    await meanwhile(on, { method: 'PATCH', path, body: bindings('cost') });
    expect(reported(await on.apply({ readAt: 0 }))).toEqual([
      'failed project.one 0',
      '  the plan is stale: project.one changed after the plan was made (tag-bindings was {"owner":"us"} and is {"cost":"theirs","owner":"us"}); plan again',
    ]);
    expect(await on.writes()).toEqual([]);
  });

  test('a project whose key/value tags did not change is read once more before they are replaced', async () => {
    const yaml = 'projects: {one: {id: prj-1, manage: true, tag-bindings: {env: prod}}}\n';
    for (const [options, looks] of [
      [{ readAt: 0 }, 1],
      [{}, 0],
    ] as const) {
      const on = await stage(yaml, { seed: live, dialect: 'terraform' });
      expect(reported(await on.apply(options))).toEqual(['done project.one 1']);
      const requests = await on.requests();
      expect(requests.filter((request) => request.startsWith('GET '))).toHaveLength(looks);
    }
  });

  test('a project of which only the description is written is not read again', async () => {
    const on = await stage('projects: {one: {id: prj-1, manage: true, description: ours}}\n', {
      seed: live,
      dialect: 'terraform',
    });
    expect(reported(await on.apply({ readAt: 0 }))).toEqual(['done project.one 1']);
    expect(await on.requests()).toEqual(['PATCH /projects/prj-1']);
  });

  test.each([
    ['exactly these', '[c/**]'],
    ['additions and removals', '{add: [c/**], remove: [b/**]}'],
  ])('a list of triggers declared as %s is not replaced', async (_, rule) => {
    const on = await stage(`workspaces: {app: {trigger-patterns: ${rule}}}\n`, { seed: live });
    await meanwhile(on, patch({ 'trigger-patterns': ['a/**', 'b/**', 'theirs/**'] }));
    expect(reported(await on.apply({ readAt: 0 }))).toEqual([
      'failed workspace.app 0',
      stalePlan('trigger-patterns was ["a/**","b/**"] and is ["a/**","b/**","theirs/**"]'),
    ]);
    expect(await on.writes()).toEqual([]);
  });
});

describe('an execution mode that the plan itself changes, in the project that hands it down', () => {
  const inheriting = {
    projects: { One: { id: 'prj-1', 'default-execution-mode': 'remote' } },
    workspaces: { app: { project: 'prj-1' } },
  } as const;
  const yaml = `
projects: {one: {id: prj-1, manage: true, default-execution-mode: local}}
workspaces: {app: {execution-mode: remote}}
`;

  test('a workspace gets its own execution mode although the plan changed the one that it inherits, a while ago', async () => {
    const on = await stage(yaml, { seed: inheriting, dialect: 'terraform' });
    expect(reported(await on.apply({ readAt: 0 }))).toEqual(['done project.one 1', 'done workspace.app 1']);
  });

  test('an own execution mode that another user gave to the workspace is not overwritten', async () => {
    const on = await stage(yaml, { seed: inheriting, dialect: 'terraform' });
    const id = on.plan.changes.find(({ name }) => name === 'app')?.id ?? '';
    const attributes = { 'execution-mode': 'local', 'setting-overwrites': { 'execution-mode': true } };
    await meanwhile(on, { ...patch(attributes), path: `/workspaces/${id}` });
    expect(reported(await on.apply({ readAt: 0 }))).toEqual([
      'done project.one 1',
      'failed workspace.app 0',
      stalePlan('execution-mode was "remote" and is "local"'),
    ]);
  });
});

describe('however little time has passed', () => {
  test.each(['safe', 'force'])(
    'a workspace that was locked after the plan is not deleted (%s)',
    async (how) => {
      const on = await stage(`workspaces: {app: {state: absent, delete: ${how}}}\n`, { seed });
      await meanwhile(on, {
        method: 'POST',
        path: '/workspaces/<id>/actions/lock',
        body: { reason: 'incident' },
      });
      const [change, error] = reported(await on.apply());
      expect(change).toBe('failed workspace.app 0');
      expect(error).toMatch(
        '  the plan is stale: workspace.app changed after the plan was made (it was locked by user-owner (incident)); plan again',
      );
      expect(await on.writes()).toEqual([]);
    },
  );

  test('a workspace that was locked during the plan and is unlocked after it is deleted', async () => {
    const on = await stage('workspaces: {app: {state: absent}}\n', {
      seed: { workspaces: { app: { locked: true } } },
      dialect: 'terraform',
    });
    await meanwhile(on, { method: 'POST', path: '/workspaces/<id>/actions/unlock' });
    expect(reported(await on.apply())).toEqual(['done workspace.app 1']);
  });

  test.each(['safe', 'force'])(
    'another workspace of the same name is not deleted instead (%s)',
    async (how) => {
      const on = await stage(`workspaces: {app: {state: absent, delete: ${how}}}\n`, { seed });
      await recreate(on);
      const result = await on.apply();
      expect(reported(result)).toEqual(['done workspace.app 0']);
      expect(notices(result)).toEqual(['note[already-done]: "app" was deleted already']);
      expect(await on.workspaces()).toMatchObject({ app: { description: 'the new one' } });
    },
  );

  test('another workspace of the same name gets none of the planned settings', async () => {
    const on = await stage('workspaces: {app: {description: mine, tags: [x], ssh-key: null}}\n', { seed });
    await recreate(on);
    expect(reported(await on.apply())).toEqual([
      'failed workspace.app 0',
      '  PATCH /workspaces/<id> answered 404: not found, or this token may not see it',
    ]);
    expect(await on.workspaces()).toMatchObject({ app: { description: 'the new one', 'tag-names': [] } });
  });

  test('apply keeps tags that another user added after the plan', async () => {
    const on = await stage('workspaces: {app: {tags: [a]}}\n', { seed });
    await meanwhile(on, {
      method: 'POST',
      path: '/workspaces/<id>/relationships/tags',
      body: { data: [{ type: 'tags', attributes: { name: 'theirs' } }] },
    });
    expect(reported(await on.apply({ readAt: 0 }))).toEqual(['done workspace.app 1']);
    expect(await on.workspaces()).toMatchObject({ app: { 'tag-names': ['a', 'theirs'] } });
  });

  test('apply keeps a consumer that another user added if the token may not replace the list', async () => {
    const on = await stage('workspaces: {app: {remote-state-consumers: [other]}}\n', {
      seed: { workspaces: { app: {}, other: {}, theirs: {} } },
    });
    const theirs = asResourceObject((await on.client.get('/organizations/acme/workspaces/theirs')).data);
    const list = '/workspaces/<id>/relationships/remote-state-consumers';
    await meanwhile(on, {
      method: 'POST',
      path: list,
      body: { data: [{ type: 'workspaces', id: theirs?.id ?? '' }] },
    });
    on.service.setFaults([
      { kind: 'status', status: 403, method: 'PATCH', path: '*/remote-state-consumers' },
    ]);
    expect(reported(await on.apply())).toEqual(['done workspace.app 0']);
    const { data } = await on.client.get(list.replace('<id>', on.plan.changes[0]?.id ?? ''));
    const names = (data as unknown[]).map((item) => asResourceObject(item)?.attributes.name);
    expect(names.sort()).toEqual(['other', 'theirs']);
  });
});

/** Another user deletes the workspace and creates another of its name. */
async function recreate(on: Stage): Promise<void> {
  await meanwhile(on, { method: 'DELETE', path: '/workspaces/<id>' });
  const attributes = { name: 'app', description: 'the new one' };
  await meanwhile(on, {
    method: 'POST',
    path: '/organizations/acme/workspaces',
    body: { data: { type: 'workspaces', attributes } },
  });
}

describe('two applies at once', () => {
  const root = (rest: string) => `attune: 1
organization: acme
projects: {one: prj-1}
teams: {sre: team-sre, dev: team-dev}
${rest}`;
  const world = (files: Record<string, string>) =>
    worldWith(files, {
      seed: {
        projects: { One: 'prj-1' },
        teams: { sre: 'team-sre', dev: 'team-dev' },
        workspaces: { old: {}, both: { 'remote-state-consumers': ['old'] }, shared: { tags: ['a'] } },
      },
      // Their requests are answered in turns.
      latency: 2,
    });
  const many = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`new-${index}`, { tags: ['t'] }]),
  );

  test('two concurrent applies of one configuration create everything once, report it correctly, and leave nothing to plan', async () => {
    const workspaces = JSON.stringify({
      ...many,
      both: { 'remote-state-consumers': ['new-1', 'new-2'] },
      old: { state: 'absent' },
    });
    const on = await world({
      'attune.yaml': root(`workspaces: ${workspaces}\nteam-access: {one: {sre: write, dev: read}}\n`),
    });
    const runs = await Promise.all(
      [0, 1].map(() => on.attune('apply', '--yes', '--format', 'json', '--max-deletes', '1')),
    );
    const created: string[] = [];
    for (const { code, stdout } of runs) {
      const { changes } = JSON.parse(stdout) as {
        changes: { address: string; action: string; result: string; error?: unknown }[];
      };
      expect(code).toBe(changes.every(({ result }) => result === 'done') ? 0 : 1);
      expect(changes.every(({ result, error }) => (result === 'done') === (error === undefined))).toBe(true);
      created.push(
        ...changes
          .filter(({ action, result }) => action === 'create' && result === 'done')
          .map(({ address }) => address),
      );
    }
    // Each was created by one of the two and by no other.
    expect(created.sort()).toEqual([...new Set(created)]);
    const rest = await on.attune('apply', '--yes', '--quiet');
    expect(rest.code, rest.stdout + rest.stderr).toBe(0);
    const { stdout } = await on.attune('plan');
    expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete');
    const live = await on.attune('snapshot');
    const { resources } = JSON.parse(live.stdout) as { resources: { address: string; kind: string }[] };
    expect(resources.filter(({ kind }) => kind === 'team-access')).toHaveLength(2);
    expect(resources.filter(({ address }) => address.startsWith('workspace.new-'))).toHaveLength(12);
  });

  test('two concurrent applies of different configurations do not affect each other', async () => {
    const on = await world({
      'one.yaml': root(
        `workspaces: {shared: {description: one, tags: {add: [one]}}, a: {tags: [t]}, old: {state: absent}}\nteam-access: {one: {sre: write}}\n`,
      ),
      'two.yaml': root(
        `workspaces: {shared: {auto-apply: true, tags: {add: [two]}}, b: {tags: [t]}, both: {remote-state-consumers: [b]}}\nteam-access: {one: {dev: read}}\n`,
      ),
    });
    const runs = await Promise.all(
      ['one.yaml', 'two.yaml'].map((file) => on.attune('apply', file, '--yes', '--max-deletes', '1')),
    );
    expect(runs.map(({ code }) => code)).toEqual([0, 0]);
    for (const file of ['one.yaml', 'two.yaml']) {
      const again = await on.attune('plan', file, '--detailed-exitcode');
      expect(again.code, again.stdout + again.stderr).toBe(0);
    }
  });
});

describe('guards.keep-admin between plan and apply', () => {
  const yaml = (level: string) => `projects: {one: prj-1}
teams: {sre: team-sre, ops: team-ops}
guards: {keep-admin: [sre, ops]}
team-access: {one: {sre: ${level}}}
`;
  const admins = {
    projects: { One: 'prj-1' },
    teams: { sre: 'team-sre', ops: 'team-ops' },
    'team-access': { 'prj-1': { sre: 'admin', ops: 'admin' } },
  };
  const guards = () => [new Set(['team-sre', 'team-ops'])];

  async function revokedByAnother(level: string): Promise<Stage> {
    const on = await stage(yaml(level), { seed: admins });
    const { data } = await on.client.get('/team-projects', { 'filter[project][id]': 'prj-1' });
    const other = (data as { id: string }[]).find(({ id }) => id !== on.plan.changes[0]?.id);
    await on.client.send({ method: 'DELETE', path: `/team-projects/${other?.id}` });
    on.service.clearRequests();
    return on;
  }

  test.each(['none', 'read'])(
    'the last admin is kept if another user revoked the other one: %s',
    async (level) => {
      const on = await revokedByAnother(level);
      expect(reported(await on.apply({ keepAdmin: guards }))).toEqual([
        'failed team-access.one/sre 0',
        '  team-access.one/sre is not changed: another user has revoked the other admins of guards.keep-admin since the plan; plan again',
      ]);
      expect(await on.writes()).toEqual([]);
    },
  );

  test.each(['none', 'read'])(
    'the last admin is restored if another run revokes the other one at the same time: %s',
    async (level) => {
      const on = await stage(yaml(level), { seed: admins });
      const grants = async () => {
        const { data } = await on.client.get('/team-projects', { 'filter[project][id]': 'prj-1' });
        return (data as unknown[]).flatMap((item) => asResourceObject(item) ?? []);
      };
      const other = (await grants()).find(({ id }) => id !== on.plan.changes[0]?.id);
      let isRevoked = false;
      const client: ServiceClient = Object.create(on.client, {
        send: {
          value: async (...[call, options]: Parameters<ServiceClient['send']>) => {
            if (!isRevoked) await on.client.send({ method: 'DELETE', path: `/team-projects/${other?.id}` });
            isRevoked = true;
            return on.client.send(call, options);
          },
        },
      });
      expect(reported(await on.apply({ keepAdmin: guards, client }))).toEqual([
        'partial team-access.one/sre 1',
        '  team-access.one/sre is admin again: another user revoked the other admins of guards.keep-admin at the same time; plan again (2 of 2 calls completed)',
      ]);
      expect((await grants()).map(({ attributes }) => attributes.access)).toEqual(['admin']);
    },
  );

  test('a project that no guard covers loses its admin', async () => {
    const on = await revokedByAnother('none');
    expect(reported(await on.apply({ keepAdmin: () => [] }))).toEqual(['done team-access.one/sre 1']);
  });

  test('an admin is revoked if another one is left', async () => {
    const on = await stage(yaml('none'), { seed: admins });
    expect(reported(await on.apply({ keepAdmin: guards }))).toEqual(['done team-access.one/sre 1']);
  });
});
