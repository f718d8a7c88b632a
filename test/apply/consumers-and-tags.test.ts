import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { notices, reported, stage } from './stage.ts';

const seed = {
  workspaces: {
    one: { 'remote-state-consumers': ['x'] },
    two: { 'remote-state-consumers': ['x', 'y'] },
    x: {},
    y: {},
    z: {},
  },
};
const list = (name: string) => `/workspaces/<${name}>/relationships/remote-state-consumers`;
const yaml = 'workspaces: {one: {remote-state-consumers: [y, z]}, two: {remote-state-consumers: []}}\n';

describe('a token that may not replace consumer lists', () => {
  test.each([403, 404])(
    'apply adds and removes consumers instead after a %s to a replaced list, with one note for the run',
    async (status) => {
      const { apply, service, requests, plan } = await stage(yaml, { seed });
      service.setFaults([{ kind: 'status', status, method: 'PATCH', path: '*/remote-state-consumers' }]);
      const result = await apply();
      expect(reported(result)).toEqual(['done workspace.one 0', 'done workspace.two 0']);
      expect(await requests()).toEqual([
        `PATCH ${list('one')}`,
        `POST ${list('one')}`,
        `DELETE ${list('one')}`,
        `DELETE ${list('two')}`,
      ]);
      expect(notices(result)).toEqual([
        'note[consumers-one-by-one]: this token may not replace consumer lists; consumers are added and removed one by one instead',
      ]);
      expect(plan.summary.calls).toBe(2);
    },
  );

  test('apply prints the note about consumer lists once if several lists are written at the same time', async () => {
    const { apply, service } = await stage(yaml, { seed });
    service.setFaults([{ kind: 'status', status: 403, method: 'PATCH', path: '*/remote-state-consumers' }]);
    expect(notices(await apply({ parallelism: 10 }))).toHaveLength(1);
  });

  test('apply adds the consumers of a new workspace if the token may not replace its list', async () => {
    const { apply, service, writes } = await stage('workspaces: {new: {remote-state-consumers: [x, y]}}\n', {
      seed,
    });
    service.setFaults([{ kind: 'status', status: 404, method: 'PATCH', path: '*/remote-state-consumers' }]);
    expect(reported(await apply())).toEqual(['done workspace.new 1']);
    expect((await writes()).slice(1)).toEqual([`PATCH ${list('new')}`, `POST ${list('new')}`]);
  });

  test('apply prints no note about consumer lists for a deleted workspace, and still replaces other lists', async () => {
    const { apply, service, requests } = await stage(yaml, { seed });
    service.setFaults([
      { kind: 'status', status: 404, method: 'PATCH', path: '*/remote-state-consumers', nth: 1 },
      { kind: 'status', status: 404, method: 'POST', path: '*/remote-state-consumers' },
    ]);
    const result = await apply();
    expect(reported(result)).toEqual([
      'failed workspace.one 0',
      '  POST /workspaces/<id>/relationships/remote-state-consumers answered 404: not found, or this token may not see it',
      'done workspace.two 1',
    ]);
    expect(notices(result)).toEqual([]);
    expect((await requests()).at(-1)).toBe(`PATCH ${list('two')}`);
  });

  test('a change fails if the service refuses its consumer list for another reason', async () => {
    const { apply, service, requests } = await stage(yaml, { seed });
    service.setFaults([{ kind: 'status', status: 422, method: 'PATCH', path: '*/remote-state-consumers' }]);
    await apply();
    expect(await requests()).toEqual([`PATCH ${list('one')}`, `PATCH ${list('two')}`]);
  });
});

describe('a consumer list that was read a while ago', () => {
  const one = 'workspaces: {one: {remote-state-consumers: [y]}}\n';

  test.each([
    { age: 0, again: false },
    { age: 3000, again: false },
    { age: 3001, again: true },
    { age: undefined, again: true },
  ])(
    'a consumer list that was read $age ms ago is read again before it is replaced: $again',
    async ({ age, again }) => {
      const { plan, client, clock, requests } = await stage(one, { seed });
      const options = age === undefined ? {} : { readAt: clock.now() - age };
      expect(reported(await applyPlan(plan, { client, clock, ...options }))).toEqual([
        'done workspace.one 1',
      ]);
      expect(await requests()).toEqual([
        ...(again ? [`GET ${list('one')}?page[size]=100`] : []),
        `PATCH ${list('one')}`,
      ]);
    },
  );

  test('a consumer list that changed since the plan is not overwritten, and the difference is reported', async () => {
    const { apply, client, writes, plan, service } = await stage(one, { seed });
    const path = plan.changes[0]?.calls[0]?.path ?? '';
    const { data } = await client.get('/organizations/acme/workspaces/z');
    await client.send({
      method: 'POST',
      path,
      body: { data: [{ type: 'workspaces', id: (data as { id: string }).id }] },
    });
    service.clearRequests();
    const result = await apply({ readAt: 0 });
    expect(reported(result)).toEqual([
      'failed workspace.one 0',
      '  the plan is stale: workspace.one changed after the plan was made (its consumers changed meanwhile (+<id>)); plan again',
    ]);
    expect(await writes()).toEqual([]);
  });

  test('a consumer list that could not be read during the plan is written without a comparison', async () => {
    const { apply, requests } = await stage(
      'workspaces: {open: {global-remote-state: false, remote-state-consumers: [y]}}\n',
      {
        seed: {
          workspaces: {
            open: { 'global-remote-state': true, 'remote-state-consumers': ['x'] },
            x: {},
            y: {},
          },
        },
      },
    );
    expect(reported(await apply({ readAt: 0 }))).toEqual(['done workspace.open 2']);
    expect(await requests()).toEqual(['PATCH /workspaces/<open>', `PATCH ${list('open')}`]);
  });
});

describe('tags', () => {
  test('a new tag that two workspaces use at the same moment is added again', async () => {
    const { apply, service, workspaces, clock } = await stage(
      'workspaces: {x: {tags: [new]}, y: {tags: [new]}}\n',
      {
        seed,
      },
    );
    service.setFaults([
      {
        kind: 'status',
        status: 422,
        detail: 'Name has already been taken',
        method: 'POST',
        path: '*/relationships/tags',
        nth: 2,
        times: 2,
      },
    ]);
    expect(reported(await apply({ parallelism: 10 }))).toEqual(['done workspace.x 1', 'done workspace.y 1']);
    expect(clock.slept).toEqual([200, 400]);
    expect(await workspaces()).toMatchObject({ x: { 'tag-names': ['new'] }, y: { 'tag-names': ['new'] } });
  });

  test('a change fails if its tag is refused for another reason, or each time', async () => {
    for (const [detail, tries] of [
      ['Tags are too long', 1],
      ['Name has already been taken', 4],
    ] as const) {
      const { apply, service, writes } = await stage('workspaces: {x: {tags: [new]}}\n', { seed });
      service.setFaults([{ kind: 'status', status: 422, detail, path: '*/relationships/tags' }]);
      expect((await apply()).changes).toMatchObject([{ result: 'failed', error: { status: 422 } }]);
      expect(await writes()).toHaveLength(tries);
    }
  });
});
