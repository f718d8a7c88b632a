import { describe, expect, test } from 'vitest';
import { callMisfit } from '../../src/apply/check-calls.ts';
import type { JournalRecord } from '../../src/apply/journal/journal.ts';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import type { Call } from '../../src/model/plan.ts';
import { resourceOf } from '../../src/service/documents.ts';
import { rowsIn } from '../support/rows.ts';
import { reported, type Stage, stage } from './stage.ts';

const seed: OrganizationSeed = {
  projects: { One: 'prj-1', Two: 'prj-2', Three: 'prj-3' },
  workspaces: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { project: 'One' }])),
};
const projects = 'projects: {one: prj-1, two: prj-2, three: prj-3}\n';
const toTwo = `${projects}workspaces: {a: {project: two}, b: {project: two}, c: {project: two}}\n`;
const together = 'POST /projects/prj-2/relationships/workspaces';
const staged = (yaml: string, rest: OrganizationSeed = {}) =>
  stage(yaml, { seed: { organization: 'acme', ...seed, ...rest }, dialect: 'terraform' });

async function projectsOf({ client, plan }: Stage): Promise<unknown[]> {
  const found = plan.changes.map(async ({ id }) => {
    const { project } = resourceOf(await client.get(`/workspaces/${id}`))?.relationships ?? {};
    return (project as { data: { id: string } }).data.id;
  });
  return Promise.all(found);
}

/** Answers requests that move several workspaces with a status. */
function refuse({ service }: Stage, status: number): void {
  service.setFaults([{ kind: 'status', status, method: 'POST', path: '/projects/*' }]);
}

test('workspaces that are only moved are moved by one request for each destination', async () => {
  const on = await staged(
    `${projects}workspaces: {a: {project: two}, b: {project: three}, c: {project: two}, d: {project: two, description: x}}\n`,
  );
  expect(on.plan.summary).toMatchObject({ update: 4, calls: 3 });
  const result = await on.apply();
  expect(reported(result)).toEqual(['a', 'b', 'c', 'd'].map((name) => `done workspace.${name} 1`));
  expect(await on.requests()).toEqual([
    together,
    'POST /projects/prj-3/relationships/workspaces',
    'PATCH /workspaces/<d>',
  ]);
  expect(await projectsOf(on)).toEqual(['prj-2', 'prj-3', 'prj-2', 'prj-2']);
});

test('at most 100 workspaces are moved by one request', async () => {
  const names = Array.from({ length: 101 }, (_, index) => `w${index}`);
  const on = await staged(
    `${projects}workspaces: {${names.map((name) => `${name}: {project: two}`).join(', ')}}\n`,
    { workspaces: Object.fromEntries(names.map((name) => [name, { project: 'One' }])) },
  );
  expect(on.plan.summary).toMatchObject({ update: 101, calls: 2 });
  expect((await on.apply({ parallelism: 10 })).changes.every(({ result }) => result === 'done')).toBe(true);
  expect(await on.requests()).toEqual([together, together]);
});

test('workspaces move together into a project that the same plan creates', async () => {
  const on = await staged(
    'projects: {new: {name: New, manage: true}}\nworkspaces: {a: {project: new}, b: {project: new}}\n',
  );
  expect((await on.apply()).changes.map(({ result }) => result)).toEqual(['done', 'done', 'done']);
  const [create, move, ...rest] = await on.requests();
  expect([create, rest]).toEqual(['POST /organizations/acme/projects', []]);
  expect(move).toMatch(/^POST \/projects\/prj-[A-Za-z0-9]+\/relationships\/workspaces$/);
});

test('workspaces whose destination cannot be created are not moved', async () => {
  const on = await staged(
    'projects: {new: {name: New, manage: true}}\nworkspaces: {a: {project: new}, b: {project: new}}\n',
  );
  on.service.setFaults([{ kind: 'status', status: 403, path: '/organizations/acme/projects' }]);
  expect((await on.apply()).changes.map(({ result }) => result)).toEqual(['failed', 'skipped', 'skipped']);
  expect(await on.writes()).toEqual(['POST /organizations/acme/projects']);
});

test('in the iac dialect each workspace is moved by its own request', async () => {
  const on = await stage(toTwo, { seed: { organization: 'acme', ...seed } });
  await on.apply();
  expect(await on.writes()).toEqual(['a', 'b', 'c'].map((name) => `PATCH /workspaces/<${name}>`));
});

describe('a request that moves several workspaces and is refused', () => {
  test.each([403, 404, 405, 422])(
    'each workspace is moved by its own request after a %i, and those that may not move fail',
    async (status) => {
      const on = await staged(toTwo);
      const id = on.plan.changes[1]?.id;
      on.service.setFaults([
        { kind: 'status', status, method: 'POST', path: '/projects/*' },
        { kind: 'status', status: 403, method: 'PATCH', path: `/workspaces/${id}` },
      ]);
      const { changes } = await on.apply();
      expect(changes.map(({ result, callsDone, extraCalls }) => [result, callsDone, extraCalls])).toEqual([
        ['done', 0, 1],
        ['failed', 0, undefined],
        ['done', 0, 1],
      ]);
      expect(changes[1]?.error).toMatchObject({ method: 'PATCH', status: 403 });
      expect(await on.requests()).toEqual([
        together,
        ...['a', 'b', 'c'].map((name) => `PATCH /workspaces/<${name}>`),
      ]);
      expect(await projectsOf(on)).toEqual(['prj-2', 'prj-1', 'prj-2']);
    },
  );

  test('a token that may not use the service moves nothing one by one', async () => {
    const on = await staged(toTwo);
    refuse(on, 401);
    expect((await on.apply()).changes.map(({ result }) => result)).toEqual(['failed', 'failed', 'failed']);
    expect(await on.requests()).toEqual([together]);
  });

  test('no workspace is moved by its own request after the run was stopped', async () => {
    const on = await staged(toTwo);
    refuse(on, 403);
    const stop = new AbortController();
    const append = async ({ record }: JournalRecord) => {
      if (record === 'outcome') stop.abort();
    };
    const { changes } = await on.apply({ stop: stop.signal, journal: { append } });
    expect(changes.map(({ result }) => result)).toEqual(['skipped', 'skipped', 'skipped']);
    expect(await on.requests()).toEqual([together]);
  });
});

test('a move whose connection is cut is repeated without a look-up', async () => {
  for (const kind of ['cut-after', 'cut-before'] as const) {
    const on = await staged(toTwo);
    on.service.setFaults([{ kind, method: 'POST', path: '/projects/*', nth: 1 }]);
    expect((await on.apply()).changes.map(({ callsDone }) => callsDone)).toEqual([1, 1, 1]);
    expect(await on.requests()).toEqual([together, together]);
  }
});

describe('a move whose answer is lost and whose repetition is refused', () => {
  const lose = ({ service }: Stage, kind: 'cut-after' | 'cut-before') =>
    service.setFaults([
      { kind, method: 'POST', path: '/projects/*', nth: 1 },
      { kind: 'status', status: 403, method: 'POST', path: '/projects/*', nth: 2, times: 100 },
    ]);
  const lookUps = ['a', 'b', 'c'].map((name) => `GET /workspaces/<${name}>`);

  test('the moves are done if the workspaces are in the project', async () => {
    const on = await staged(toTwo);
    lose(on, 'cut-after');
    expect(reported(await on.apply())).toEqual(['a', 'b', 'c'].map((name) => `done workspace.${name} 1`));
    const [first, second, ...rest] = await on.requests();
    expect([first, second, ...rest.sort()]).toEqual([together, together, ...lookUps]);
  });

  test('each workspace is moved by its own request if none of them is', async () => {
    const on = await staged(toTwo);
    lose(on, 'cut-before');
    expect((await on.apply()).changes.every(({ result }) => result === 'done')).toBe(true);
    const requests = await on.requests();
    expect(requests.slice(2, 5).sort()).toEqual(lookUps);
    expect(requests.slice(5)).toEqual(['a', 'b', 'c'].map((name) => `PATCH /workspaces/<${name}>`));
  });

  test('the effect on a workspace that was moved elsewhere meanwhile is unknown, and the others are done', async () => {
    const on = await staged(toTwo);
    lose(on, 'cut-after');
    const { id = '' } = on.plan.changes[1] ?? {};
    const elsewhere = { data: { id, type: 'projects' } };
    const get: typeof on.client.get = async (path, query) => {
      const document = await on.client.get(path, query);
      const found = resourceOf(document);
      if (found?.id !== id) return document;
      const relationships = { ...found.relationships, project: { data: { ...elsewhere.data, id: 'prj-3' } } };
      return { ...document, data: { ...found, relationships } };
    };
    const { changes } = await on.apply({ client: { ...on.client, get } });
    expect(changes.map(({ result, error }) => [result, error?.code])).toEqual([
      ['done', undefined],
      ['failed', 'unknown-effect'],
      ['done', undefined],
    ]);
  });
});

test('the journal has a call of each workspace, and of a refused move the request that replaces it', async () => {
  const records: JournalRecord[] = [];
  const append = async (record: JournalRecord) => {
    records.push(record);
  };
  const on = await staged(toTwo);
  refuse(on, 403);
  await on.apply({ journal: { append } });
  const calls = records.flatMap((record) =>
    record.record === 'call' ? [[record.address, record.operation, record.path]] : [],
  );
  const [a, b, c] = on.plan.changes.map(({ id }) => id);
  expect(calls).toEqual([
    ['workspace.a', 'moveWorkspaces', '/projects/prj-2/relationships/workspaces'],
    ['workspace.b', 'moveWorkspaces', '/projects/prj-2/relationships/workspaces'],
    ['workspace.c', 'moveWorkspaces', '/projects/prj-2/relationships/workspaces'],
    ['workspace.a', 'updateWorkspace', `/workspaces/${a}`],
    ['workspace.b', 'updateWorkspace', `/workspaces/${b}`],
    ['workspace.c', 'updateWorkspace', `/workspaces/${c}`],
  ]);
  const results = records.flatMap((record) => (record.record === 'outcome' ? record.result : []));
  expect(results).toEqual(['failed', 'failed', 'failed', 'done', 'done', 'done']);
});

test('a move that the journal cannot record is not sent', async () => {
  const on = await staged(toTwo);
  const { JournalError } = await import('../../src/apply/journal/journal.ts');
  const append = async (record: JournalRecord) => {
    if (record.record === 'call' && record.address === 'workspace.b') throw new JournalError('full');
  };
  const { changes } = await on.apply({ journal: { append } });
  expect(changes[1]?.result).toBe('failed');
  const sent = on.service.requests.filter(({ method }) => method === 'POST');
  const [, b = ''] = on.plan.changes.map(({ id }) => id);
  expect(JSON.stringify(sent.map(({ body }) => body))).not.toContain(b);
});

describe('a move in a journal', () => {
  const owner = { address: 'workspace.a', kind: 'workspace', action: 'update', id: 'ws-a' } as const;
  const data = (...ids: string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });
  const move: Call = {
    operation: 'moveWorkspaces',
    method: 'POST',
    path: '/projects/prj-2/relationships/workspaces',
    body: data('ws-a'),
  };

  test('a move that Attune has sent is accepted', () => {
    expect(callMisfit(move, owner, 'acme')).toBeUndefined();
  });

  test.each<[string, Partial<Call>, string]>([
    ['of another workspace', { body: data('ws-other') }, 'goes to another object'],
    ['of more workspaces', { body: data('ws-a', 'ws-other') }, 'goes to another object'],
    ['of no workspace', { body: data() }, 'goes to another object'],
    ['to a path', { path: '/projects/../relationships/workspaces' }, 'goes to another object'],
    ['to two ids', { path: '/projects/prj-2/x/relationships/workspaces' }, 'goes to another object'],
    ['by another method', { method: 'DELETE' }, 'is not a call of moveWorkspaces'],
  ])('a move %s is refused', (_, change, why) => {
    expect(callMisfit({ ...move, ...change }, owner, 'acme')).toContain(why);
  });
});

test.each(rowsIn<[string, Partial<Call>, string]>`
- [to another object, {path: /workspaces/ws-other}, PATCH /workspaces/ws-other goes to another object]
- [with an encoded slash, {path: /workspaces/ws-a%2fx}, PATCH /workspaces/ws-a%2fx goes to another object]
- [of another action, {operation: deleteWorkspace, mode: force, method: DELETE}, DELETE /workspaces/ws-a does not belong to a change that is an update]
- [that its operation does not make, {method: DELETE}, DELETE /workspaces/ws-a is not a call of updateWorkspace]
`)('a call in a journal %s is refused', (_, change, why) => {
  const owner = { address: 'workspace.a', kind: 'workspace', action: 'update', id: 'ws-a' } as const;
  const call: Call = { operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-a' };
  expect(callMisfit(call, owner, 'acme')).toBeUndefined();
  expect(callMisfit({ ...call, ...change } as Call, owner, 'acme')).toBe(why);
  expect(callMisfit(call, { ...owner, id: 'ws-a/..' }, 'acme')).toBe('ws-a/.. is not an id');
});
