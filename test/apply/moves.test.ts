import { expect, test } from 'vitest';
import { callMisfit } from '../../src/apply/check-calls.ts';
import type { JournalRecord } from '../../src/apply/journal/journal.ts';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import type { Call } from '../../src/model/plan.ts';
import { resourceOf } from '../../src/service/documents.ts';
import { rowsIn } from '../support/rows.ts';
import { type Stage, stage } from './stage.ts';

const seed: OrganizationSeed = {
  projects: { One: 'prj-1', Two: 'prj-2', Three: 'prj-3' },
  workspaces: Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, { project: 'One' }])),
};
const projects = 'projects: {one: prj-1, two: prj-2, three: prj-3}\n';
const toTwo = `${projects}workspaces: {a: {project: two}, b: {project: two}, c: {project: two}}\n`;
const together = 'POST /projects/prj-2/relationships/workspaces';
const staged = (yaml: string, rest: OrganizationSeed = {}) =>
  stage(yaml, { seed: { organization: 'acme', ...seed, ...rest }, dialect: 'terraform' });

/** Refuses requests that move several workspaces. */
function refuse({ service }: Stage): void {
  service.setFaults([{ kind: 'status', status: 403, method: 'POST', path: '/projects/*' }]);
}

test('no workspace is moved by its own request after the run was stopped', async () => {
  const on = await staged(toTwo);
  refuse(on);
  const stop = new AbortController();
  const append = async ({ record }: JournalRecord) => {
    if (record === 'outcome') stop.abort();
  };
  const { changes } = await on.apply({ stop: stop.signal, journal: { append } });
  expect(changes.map(({ result }) => result)).toEqual(['skipped', 'skipped', 'skipped']);
  expect(await on.requests()).toEqual([together]);
});

test('the effect of a refused move is unknown if one of the workspaces was moved elsewhere meanwhile', async () => {
  const on = await staged(toTwo);
  const path = '/projects/*';
  on.service.setFaults([
    { kind: 'cut-after', method: 'POST', path, nth: 1 },
    { kind: 'status', status: 403, method: 'POST', path, nth: 2, times: 100 },
  ]);
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
    ['failed', 'unknown-effect'],
    ['failed', 'unknown-effect'],
    ['failed', 'unknown-effect'],
  ]);
});

test('the journal has a call of each workspace, and of a refused move the request that replaces it', async () => {
  const records: JournalRecord[] = [];
  const append = async (record: JournalRecord) => {
    records.push(record);
  };
  const on = await staged(toTwo);
  refuse(on);
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
  expect(changes[1]?.result).toBe('skipped');
  const sent = on.service.requests.filter(({ method }) => method === 'POST');
  const [, b = ''] = on.plan.changes.map(({ id }) => id);
  expect(JSON.stringify(sent.map(({ body }) => body))).not.toContain(b);
});

const calls = {
  update: { operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-a' },
  move: {
    operation: 'moveWorkspaces',
    method: 'POST',
    path: '/projects/prj-2/relationships/workspaces',
    body: { data: [{ type: 'workspaces', id: 'ws-a' }] },
  },
} as const satisfies Record<string, Call>;

test.each(rowsIn<[string, keyof typeof calls, Partial<Call>, string]>`
- [to another object, update, {path: /workspaces/ws-other}, PATCH /workspaces/ws-other goes to another object]
- [with an encoded slash, update, {path: /workspaces/ws-a%2fx}, PATCH /workspaces/ws-a%2fx goes to another object]
- [of another action, update, {operation: deleteWorkspace, mode: force, method: DELETE}, DELETE /workspaces/ws-a does not belong to a change that is an update]
- [that its operation does not make, update, {method: DELETE}, DELETE /workspaces/ws-a goes to another object]
- [that moves another workspace, move, {body: {data: [{type: workspaces, id: ws-other}]}}, goes to another object]
- [that moves more workspaces, move, {body: {data: [{type: workspaces, id: ws-a}, {type: workspaces, id: ws-other}]}}, goes to another object]
- [that moves no workspace, move, {body: {data: []}}, goes to another object]
- [that moves to a path, move, {path: /projects/../relationships/workspaces}, goes to another object]
- [that moves to two ids, move, {path: /projects/prj-2/x/relationships/workspaces}, goes to another object]
- [that moves by another method, move, {method: DELETE}, goes to another object]
`)('a call in a journal %s is refused', (_, which, change, why) => {
  const owner = { address: 'workspace.a', kind: 'workspace', action: 'update', id: 'ws-a' } as const;
  const call = calls[which];
  expect(callMisfit(call, owner, 'acme')).toBeUndefined();
  expect(callMisfit({ ...call, ...change } as Call, owner, 'acme')).toContain(why);
  expect(callMisfit(call, { ...owner, id: 'ws-a/..' }, 'acme')).toBe('ws-a/.. is not an id');
});
